import type { FunctionTool, JsonObject } from "@slipstream-stack/protocol";
import type { ToolResult } from "../loop/tool-call.ts";

/** A tool the harness offers to the model. */
export interface HarnessTool {
  readonly definition: FunctionTool;
  /** Whether calls may run beside others: true only for tools that change nothing. */
  readonly parallel: boolean;
  /** Runs one call. `ToolArgumentError` and any other throw become a result the model reads. */
  run(callArguments: JsonObject, signal: AbortSignal): Promise<ToolResult>;
  close?(): Promise<void>;
}

/** An argument the model gave wrongly. The message goes to the model and says how to do better. */
export class ToolArgumentError extends Error {}

export function failure(output: string): ToolResult {
  return { output, isError: true };
}

export function success(output: string): ToolResult {
  return { output, isError: false };
}
