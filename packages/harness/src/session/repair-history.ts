import type { Item } from "@slipstream-stack/protocol";
import { callOutput, toolCallOf } from "../loop/tool-call.ts";

/**
 * The outputs that calls at the end of a resumed history lack because the process died while they ran. A call
 * without an output is not valid input, and running it again might do its work twice.
 */
export function missingOutputs(items: readonly Item[]): Item[] {
  const answered = new Set(
    items.flatMap((item) =>
      item.type === "function_call_output" || item.type === "custom_tool_call_output"
        ? [String("call_id" in item ? item.call_id : "")]
        : [],
    ),
  );
  return items
    .map(toolCallOf)
    .filter((call) => call !== null && !answered.has(call.callId))
    .map((call) =>
      callOutput(call as NonNullable<typeof call>, "Interrupted: it is not known whether this call ran."),
    );
}
