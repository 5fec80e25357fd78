import {
  canonicalJson,
  contentText,
  type Item,
  isKnownItem,
  type JsonValue,
  type KnownItem,
  type MessageItem,
  type ReasoningItem,
  type Tool,
} from "@slipstream-stack/protocol";
import { flattenTools, plainRenderedName } from "../flatten-tools.ts";
import { foreignItemText } from "../foreign-items.ts";
import type { StructureGuard } from "../guard-structure.ts";
import type { RenderedTool } from "../rendered-tool.ts";
import { SegmentWriter } from "../segment-writer.ts";
import type { ChatmlOptions } from "./chatml-options.ts";
import type { ChatmlState } from "./chatml-state.ts";
import {
  beforeCall,
  beforeText,
  closeOpenTurn,
  closeTurn,
  openTurn,
  thoughtText,
  writeThought,
} from "./chatml-turns.ts";
import { callArguments, toolDeclaration, writeCall, writeResponse, writeToolBlock } from "./hermes-text.ts";

/** A step being written: structure, the item's own text, and the state it starts from. */
export interface Step {
  readonly options: ChatmlOptions;
  readonly state: ChatmlState;
  readonly glue: SegmentWriter;
  readonly item: SegmentWriter;
}

export function startStep(options: ChatmlOptions, guard: StructureGuard, state: ChatmlState): Step {
  return { options, state, glue: new SegmentWriter(guard), item: new SegmentWriter(guard) };
}

/** Ends what is open and, before the first turn of all, puts in the default system turn. */
export function leaveOpenTurn(step: Step): void {
  closeOpenTurn(step.glue, step.state);
  if (step.state.started || step.options.defaultSystem === null) return;
  closeTurn(openTurn(step.glue, "system", step.options.defaultSystem));
}

/** Writes one item; gives the state after it, the same state where the item renders nothing. */
export function stepItem(step: Step, item: Item): ChatmlState {
  if (isKnownItem(item)) return stepKnown(step, item);
  const raw: Readonly<Record<string, unknown>> = item;
  if (raw.type === "tool_search_call") {
    return call(step, null, "tool_search", canonicalJson((raw.arguments ?? {}) as JsonValue));
  }
  if (raw.type === "tool_search_output") return searchOutput(step, raw.tools);
  const foreign = foreignItemText(item);
  if (foreign === null) return step.state;
  if (foreign.side === "result") return result(step, foreign.text);
  return intoAssistantTurn(step, (out, last) => out.plain(beforeCall(last) + foreign.text));
}

function stepKnown(step: Step, item: KnownItem): ChatmlState {
  switch (item.type) {
    case "message":
      return message(step, item);
    case "reasoning":
      return reasoning(step, item);
    case "function_call":
      return call(step, item.namespace ?? null, item.name, callArguments(item.arguments));
    case "custom_tool_call":
      return call(step, item.namespace ?? null, item.name, canonicalJson({ input: item.input }));
    case "function_call_output":
    case "custom_tool_call_output":
      return result(step, contentText(item.output));
    case "compaction": {
      const summary = step.options.openCompaction(item);
      return summary === null ? step.state : system(step, `Summary of the conversation so far:\n${summary}`);
    }
    case "additional_tools":
      return moreTools(step, item.tools as unknown as readonly Tool[]);
    case "item_reference":
      return step.state;
  }
}

function message(step: Step, item: MessageItem): ChatmlState {
  const text = contentText(item.content);
  if (item.role !== "assistant") {
    if (item.role !== "user") return system(step, text);
    leaveOpenTurn(step);
    closeTurn(openTurn(step.item, "user", text));
    return { ...step.state, started: true, open: "none" };
  }
  const { open, last } = step.state;
  if (open === "assistant" && last !== "text" && last !== "empty") {
    step.item.plain(beforeText(last) + text);
  } else {
    leaveOpenTurn(step);
    openTurn(step.item, "assistant", text);
  }
  return afterMessage(step.state, text);
}

/** The state after an assistant message of this text. */
export function afterMessage(state: ChatmlState, text: string): ChatmlState {
  return { ...state, started: true, open: "assistant", last: text === "" ? "empty" : "text" };
}

function reasoning(step: Step, item: ReasoningItem): ChatmlState {
  const marks = step.options.thinking;
  if (marks === null || thoughtText(item) === "") return step.state;
  if (step.state.open !== "assistant" || step.state.last !== "header") {
    leaveOpenTurn(step);
    openTurn(step.item, "assistant");
  }
  writeThought(step.item, item, marks);
  return { ...step.state, started: true, open: "assistant", last: "thought" };
}

/** A call and what is like one: it continues the assistant turn, or opens one. */
function intoAssistantTurn(
  step: Step,
  write: (out: SegmentWriter, last: ChatmlState["last"]) => void,
): ChatmlState {
  if (step.state.open === "assistant") {
    write(step.item, step.state.last);
  } else {
    leaveOpenTurn(step);
    write(openTurn(step.item, "assistant"), "header");
  }
  return { ...step.state, started: true, open: "assistant", last: "call" };
}

function call(step: Step, namespace: string | null, name: string, argumentsText: string): ChatmlState {
  const known = step.state.scope.find(namespace, name);
  const renderedName = known?.renderedName ?? plainRenderedName(namespace, name);
  return intoAssistantTurn(step, (out, last) => {
    const place = last === "forced" ? "opened" : "closed";
    writeCall(out.plain(beforeCall(last)), renderedName, argumentsText, place);
  });
}

/** Results that follow each other share one user turn, as in the template; it stays open. */
function result(step: Step, text: string): ChatmlState {
  if (step.state.open === "tool") {
    writeResponse(step.item.plain("\n"), text);
  } else {
    leaveOpenTurn(step);
    writeResponse(openTurn(step.item, "user"), text);
  }
  return { ...step.state, started: true, open: "tool", last: "header" };
}

function system(step: Step, text: string): ChatmlState {
  closeOpenTurn(step.glue, step.state);
  closeTurn(openTurn(step.item, "system", text));
  return { ...step.state, started: true, open: "none" };
}

function moreTools(step: Step, declared: readonly Tool[]): ChatmlState {
  const tools = flattenTools(declared, step.state.scope, "item");
  if (tools.length === 0) return step.state;
  closeOpenTurn(step.glue, step.state);
  return toolTurn(step, tools);
}

function toolTurn(step: Step, tools: readonly RenderedTool[]): ChatmlState {
  openTurn(step.item, "system");
  writeToolBlock(step.item, tools.map(toolDeclaration));
  closeTurn(step.item);
  return { ...step.state, started: true, open: "none", scope: step.state.scope.with(tools) };
}

/** A client's search result: the names as the call's result, then what they are, as a turn of its own. */
function searchOutput(step: Step, declared: unknown): ChatmlState {
  const tools = Array.isArray(declared)
    ? flattenTools(declared as readonly Tool[], step.state.scope, "item")
    : [];
  const answered = result(step, canonicalJson({ tools: tools.map((tool) => tool.renderedName) }));
  if (tools.length === 0) return answered;
  closeTurn(step.item);
  return toolTurn({ ...step, state: answered }, tools);
}
