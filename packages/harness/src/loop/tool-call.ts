import { type Item, isKnownItem } from "@slipstream-stack/protocol";

/** A call as the tools see it. */
export interface ToolCall {
  readonly callId: string;
  readonly name: string;
  /** JSON text as the model wrote it; for a custom tool its free text. */
  readonly input: string;
  readonly kind: "function" | "custom";
}

/** What a tool gave back. A failure is a result that the model reads. */
export interface ToolResult {
  readonly output: string;
  readonly isError: boolean;
}

/** The call an item stands for, or null. */
export function toolCallOf(item: Item): ToolCall | null {
  if (!isKnownItem(item)) return null;
  if (item.type === "function_call") {
    const name = item.namespace ? `${item.namespace}__${item.name}` : item.name;
    return { callId: item.call_id, name, input: item.arguments, kind: "function" };
  }
  if (item.type === "custom_tool_call") {
    return { callId: item.call_id, name: item.name, input: item.input, kind: "custom" };
  }
  return null;
}

/** A call cut off in the middle must neither run nor stand in the history without an output. */
export function isCutCall(item: Item): boolean {
  return toolCallOf(item) !== null && "status" in item && item.status === "incomplete";
}

export function isFinishedCall(item: Item): boolean {
  return toolCallOf(item) !== null && !isCutCall(item);
}

/** The history item that answers a call. It has no id and no time: equal results give equal bytes. */
export function callOutput(call: ToolCall, output: string): Item {
  const type = call.kind === "function" ? "function_call_output" : "custom_tool_call_output";
  return { type, call_id: call.callId, output };
}
