import { createHash } from "node:crypto";
import type { TextSegment } from "@slipstream-stack/inference";
import { canonicalJson, contentText, type Item, isKnownItem } from "@slipstream-stack/protocol";
import { ChatmlParser } from "../../parse/chatml-parser.ts";
import type { HeadSettings, PromptSettings, Rendered, StepDialect } from "../dialect.ts";
import { StructureGuard } from "../guard-structure.ts";
import { SegmentWriter } from "../segment-writer.ts";
import { ToolScope } from "../tool-scope.ts";
import type { ChatmlOptions } from "./chatml-options.ts";
import { asChatmlState, asRenderState, type ChatmlState } from "./chatml-state.ts";
import { afterMessage, leaveOpenTurn, type Step, startStep, stepItem } from "./chatml-steps.ts";
import { closeTurn, openTurn, turnEnd, turnStart } from "./chatml-turns.ts";
import { callOpen, hermesCallSyntax, toolDeclaration, writeToolBlock } from "./hermes-text.ts";

/** Part of every fingerprint: to be raised with any change of what this dialect renders. */
const version = "chatml-1";

/**
 * ChatML with Hermes tool calls (SmolLM2, Qwen 2.5, Hermes) as an append-only state machine. For what the
 * model's own template supports it renders the same text.
 */
export function createChatmlDialect(options: ChatmlOptions): StepDialect {
  const guard = new StructureGuard(options.structural);
  const rendered = (step: Step, state: ChatmlState): Rendered => ({
    glue: step.glue.segments(),
    item: step.item.segments(),
    state: asRenderState(state),
  });
  return {
    id: "chatml",
    kind: "append-only",
    fingerprint: fingerprint(options, guard),
    stops: [turnEnd, turnStart],
    callSyntax: hermesCallSyntax,
    parser: (tools, settings) =>
      new ChatmlParser({
        scope: ToolScope.empty.with(tools),
        thinking: options.thinking,
        begin: settings.forcedCall === null ? "text" : "call",
      }),
    head(settings) {
      const start: ChatmlState = {
        started: false,
        open: "none",
        last: "header",
        scope: ToolScope.empty.with(settings.tools),
      };
      const step = startStep(options, guard, start);
      const state = writeHead(step, settings) ? { ...start, started: true } : start;
      return rendered(step, state);
    },
    step(state, item) {
      const step = startStep(options, guard, asChatmlState(state));
      return rendered(step, stepItem(step, item));
    },
    prompt(state, settings) {
      const step = startStep(options, guard, asChatmlState(state));
      return rendered(step, writePrompt(step, settings));
    },
    tools: (state) => asChatmlState(state).scope.tools,
    written: (state, item) => asRenderState(afterWritten(asChatmlState(state), item)),
    writing: (state, output) => writeOutput(options, guard, asChatmlState(state), output),
  };
}

function writeHead(step: Step, settings: HeadSettings): boolean {
  const instructions = settings.instructions ?? "";
  if (instructions === "" && settings.tools.length === 0) return false;
  const text = instructions === "" ? (step.options.defaultSystem ?? "") : instructions;
  const out = openTurn(step.item, "system", text);
  if (settings.tools.length > 0) {
    if (text !== "") out.plain("\n\n");
    writeToolBlock(out, settings.tools.map(toolDeclaration));
  }
  closeTurn(out);
  return true;
}

function writePrompt(step: Step, settings: PromptSettings): ChatmlState {
  leaveOpenTurn(step);
  openTurn(step.glue, "assistant");
  if (settings.forcedCall !== null) step.glue.mark(callOpen).plain("\n");
  return {
    ...step.state,
    started: true,
    open: "assistant",
    last: settings.forcedCall === null ? "header" : "forced",
  };
}

function afterWritten(state: ChatmlState, item: Item): ChatmlState {
  if (isKnownItem(item) && item.type === "message") return afterMessage(state, contentText(item.content));
  const last = item.type === "reasoning" ? "thought" : "call";
  return { ...state, started: true, open: "assistant", last };
}

/**
 * Output items as they follow the generation prompt, in one stretch: the end of a turn would end the output,
 * so a message after a message is a paragraph of it, and only a thought that comes first is written.
 */
function writeOutput(
  options: ChatmlOptions,
  guard: StructureGuard,
  from: ChatmlState,
  output: readonly Item[],
): readonly TextSegment[] {
  const out = new SegmentWriter(guard);
  let state = from;
  for (const item of output) {
    if (isKnownItem(item) && item.type === "message" && (state.last === "text" || state.last === "empty")) {
      out.plain(`\n\n${contentText(item.content)}`);
    } else if (item.type !== "reasoning" || state.last === "header") {
      state = stepItem({ options, state, glue: out, item: out }, item);
    }
  }
  return out.segments();
}

function fingerprint({ defaultSystem, thinking }: ChatmlOptions, guard: StructureGuard): string {
  const marks = thinking === null ? null : [thinking.open, thinking.close];
  const text = canonicalJson([defaultSystem, marks, guard.tokens()]);
  return `${version}-${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;
}
