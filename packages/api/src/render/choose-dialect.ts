import type { ModelDescription, Vocabulary } from "@slipstream-stack/inference";
import { ApiError } from "../errors.ts";
import { withCanonicalLines } from "./canonical-lines.ts";
import { createChatmlDialect } from "./chatml/chatml-dialect.ts";
import type { OpenCompaction, ThinkingMarks } from "./chatml/chatml-options.ts";
import { turnEnd, turnStart } from "./chatml/chatml-turns.ts";
import type { Dialect, StepDialect } from "./dialect.ts";
import { flattenTools } from "./flatten-tools.ts";
import {
  changedRules,
  instructedTalk,
  type ProbeConversation,
  plainTalk,
  toolTalk,
} from "./probe-conversations.ts";
import { classifyTemplate, renderByTemplate, type TemplateKind } from "./self-check.ts";
import { probeTemplate, type TemplateAbilities } from "./whole/template-abilities.ts";
import { TemplateRenderer } from "./whole/template-renderer.ts";
import { createWholeDialect } from "./whole/whole-dialect.ts";

/** The dialect of a model, and what its own template was found to be. */
export interface ChosenDialect {
  readonly dialect: Dialect;
  /** What the self-check says of the model's own template; null where the file has none. */
  readonly template: TemplateKind | null;
}

/** What of a model decides on its dialect. */
export type DialectModel = Pick<ModelDescription, "chatTemplate" | "beginOfText" | "endOfText">;
type DialectVocabulary = Pick<Vocabulary, "structural" | "addBeginOfText">;

const thinkingMarks: ThinkingMarks = { open: "<think>", close: "</think>" };

/**
 * ChatML where the vocabulary has its turn marks as tokens and the model's template renders probe
 * conversations to the same text; the template itself, always as a whole, everywhere else.
 * @throws ApiError dialect_broken where the file has no template, or one that does not work.
 */
export function chooseDialect(
  model: DialectModel,
  vocabulary: DialectVocabulary,
  openCompaction: OpenCompaction,
): ChosenDialect {
  const structural = [...vocabulary.structural.values()];
  const hasTurns = structural.includes(turnStart) && structural.includes(turnEnd);
  if (model.chatTemplate === null) {
    if (!hasTurns) throw noTemplate();
    const options = { structural, defaultSystem: null, thinking: null, openCompaction };
    return { dialect: createChatmlDialect(options), template: null };
  }
  const renderer = new TemplateRenderer(model.chatTemplate, model);
  const abilities = probeTemplate(renderer);
  const template = classifyTemplate(renderer, abilities);
  if (hasTurns) {
    const dialect = createChatmlDialect({
      structural,
      defaultSystem: defaultSystemOf(renderer, abilities),
      thinking: abilities.thinks ? thinkingMarks : null,
      openCompaction,
    });
    const begin = vocabulary.addBeginOfText ? (model.beginOfText ?? "") : "";
    if (agrees(dialect, renderer, abilities, begin)) return { dialect, template };
  }
  const { beginOfText, endOfText, chatTemplate } = model;
  const tokens = { structural, beginOfText, endOfText, addBeginOfText: vocabulary.addBeginOfText };
  return { dialect: createWholeDialect(chatTemplate, tokens, openCompaction), template };
}

function noTemplate(): ApiError {
  return new ApiError(
    "dialect_broken",
    "The model file has no chat template and no ChatML tokens. Use an instruction-tuned model, or a file that carries its template.",
  );
}

/** The system text that a template puts in by itself, or null. */
function defaultSystemOf(renderer: TemplateRenderer, abilities: TemplateAbilities): string | null {
  const text = renderByTemplate(renderer, abilities, plainTalk, 1, false) ?? "";
  const turn = /<\|im_start\|>system\n(.*?)<\|im_end\|>\n<\|im_start\|>user\n/s.exec(text);
  return turn?.[1] ?? null;
}

function agrees(
  dialect: StepDialect,
  renderer: TemplateRenderer,
  abilities: TemplateAbilities,
  begin: string,
): boolean {
  const conversations = [plainTalk, instructedTalk];
  if (abilities.system === "anywhere") conversations.push(changedRules);
  if (abilities.hermesTools) conversations.push(toolTalk);
  return conversations.every((conversation) => {
    const own = renderByTemplate(renderer, abilities, conversation, conversation.items.length, true);
    if (own === null) return false;
    const bare = begin !== "" && own.startsWith(begin) ? own.slice(begin.length) : own;
    return withCanonicalLines(bare) === withCanonicalLines(renderBySteps(dialect, conversation));
  });
}

/** A conversation and its generation prompt as a dialect's steps render it. */
function renderBySteps(dialect: StepDialect, conversation: ProbeConversation): string {
  const head = dialect.head({
    instructions: conversation.instructions,
    tools: flattenTools(conversation.tools),
  });
  const steps = [head];
  for (const item of conversation.items) steps.push(dialect.step((steps.at(-1) ?? head).state, item));
  steps.push(dialect.prompt((steps.at(-1) ?? head).state, { forcedCall: null }));
  return steps
    .flatMap((step) => [...step.glue, ...step.item])
    .map((segment) => segment.text)
    .join("");
}
