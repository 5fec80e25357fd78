import { createHash } from "node:crypto";
import { canonicalJson } from "@slipstream-stack/protocol";
import { ChatmlParser } from "../../parse/chatml-parser.ts";
import { createChatmlDialect } from "../chatml/chatml-dialect.ts";
import type { OpenCompaction, ThinkingMarks } from "../chatml/chatml-options.ts";
import { asRenderState, type ChatmlState } from "../chatml/chatml-state.ts";
import { callOpen, hermesCallSyntax, toolDeclaration } from "../chatml/hermes-text.ts";
import type { WholeDialect } from "../dialect.ts";
import { StructureGuard } from "../guard-structure.ts";
import { ToolScope } from "../tool-scope.ts";
import { fitMessages } from "./fit-messages.ts";
import { StructureShield } from "./structure-shield.ts";
import { probeTemplate } from "./template-abilities.ts";
import { readConversation } from "./template-messages.ts";
import { type TemplateMessage, TemplateRenderer } from "./template-renderer.ts";

/** Part of every fingerprint: to be raised with any change of what this dialect renders. */
const version = "whole-1";

/** What a template is rendered with besides the conversation. */
export interface WholeTokens {
  /** Texts of the vocabulary's structural tokens: control and user-defined. */
  readonly structural: Iterable<string>;
  readonly beginOfText: string | null;
  readonly endOfText: string | null;
  /** Whether the caller puts the begin token in front; a template's own is then left out. */
  readonly addBeginOfText: boolean;
}

const thinkingMarks: ThinkingMarks = { open: "<think>", close: "</think>" };

/** Templates look at the first message without asking whether there is one. */
const nothingSaid: readonly TemplateMessage[] = [{ role: "user", content: "" }];

/**
 * Any model through its own Jinja template. The conversation is rendered as one and cut at structural tokens;
 * the caller compares with the last rendering segment by segment. Calls are Hermes text unless the template
 * says otherwise in the same form.
 * @throws ApiError dialect_broken where the template does not compile or shows no message.
 */
export function createWholeDialect(
  template: string,
  tokens: WholeTokens,
  openCompaction: OpenCompaction,
): WholeDialect {
  const guard = new StructureGuard(tokens.structural);
  const renderer = new TemplateRenderer(template, tokens);
  const abilities = probeTemplate(renderer);
  const thinking = abilities.thinks ? thinkingMarks : null;
  const writer = createChatmlDialect({
    structural: guard.tokens(),
    defaultSystem: null,
    thinking,
    openCompaction,
  });
  const begin = abilities.opensThought ? "thought" : "text";
  return {
    id: "whole",
    kind: "whole",
    fingerprint: fingerprint(template, tokens, guard),
    stops: tokens.endOfText === null ? [] : [tokens.endOfText],
    callSyntax: hermesCallSyntax,
    parser: (tools, settings) =>
      new ChatmlParser({
        scope: ToolScope.empty.with(tools),
        thinking,
        begin: settings.forcedCall === null ? begin : "call",
      }),
    renderAll(head, items, prompt) {
      const { entries } = readConversation(head, items, openCompaction);
      const tools = head.tools.map(toolDeclaration);
      const shield = new StructureShield(guard, [
        head.instructions ?? "",
        JSON.stringify(entries),
        JSON.stringify(tools),
      ]);
      const fitted = fitMessages(head.instructions, tools, entries, abilities, shield);
      if (fitted.messages.length === 0 && prompt === null) return [];
      const messages = fitted.messages.length === 0 ? nothingSaid : fitted.messages;
      const text = renderer.render({ ...fitted, messages, generationPrompt: prompt !== null });
      const forced = prompt !== null && prompt.forcedCall !== null ? `${callOpen}\n` : "";
      return cutAtStructure(guard, shield, withoutBegin(text, tokens) + forced);
    },
    tools: (head, items) => readConversation(head, items, openCompaction).scope.tools,
    writing(head, items, output, prompt) {
      const { scope } = readConversation(head, items, openCompaction);
      const last = prompt.forcedCall === null ? "header" : "forced";
      const state: ChatmlState = { started: true, open: "assistant", last, scope };
      return writer.writing(asRenderState(state), output);
    },
  };
}

function withoutBegin(text: string, tokens: WholeTokens): string {
  const { addBeginOfText, beginOfText } = tokens;
  if (!addBeginOfText || beginOfText === null || beginOfText === "") return text;
  return text.startsWith(beginOfText) ? text.slice(beginOfText.length) : text;
}

/** What the template wrote is structure; what items wrote is not, once the shield has come off. */
function cutAtStructure(guard: StructureGuard, shield: StructureShield, text: string) {
  return guard
    .split(text)
    .flatMap((segment) =>
      segment.special
        ? [segment]
        : guard.cut(shield.remove(segment.text)).map((piece) => ({ text: piece, special: false })),
    )
    .filter((segment) => segment.text !== "");
}

function fingerprint(template: string, tokens: WholeTokens, guard: StructureGuard): string {
  const { beginOfText, endOfText, addBeginOfText } = tokens;
  const named = { template, beginOfText, endOfText, addBeginOfText, structural: guard.tokens() };
  return `${version}-${createHash("sha256").update(canonicalJson(named)).digest("hex").slice(0, 32)}`;
}
