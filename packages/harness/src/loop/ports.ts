import type { Clock } from "../ports/clock.ts";
import type { IdSource } from "../ports/ids.ts";
import type { ModelPort } from "./model-port.ts";
import type { ToolCall, ToolResult } from "./tool-call.ts";

/** Runs calls. Approval, sandbox and order of execution live behind it. */
export interface ToolRunner {
  /**
   * Starts a call at once where it may run beside those already running, else behind them. Never rejects:
   * whatever goes wrong, an abort included, is a result.
   */
  run(call: ToolCall, signal: AbortSignal): Promise<ToolResult>;
}

/** All that a turn reaches outside itself. */
export interface TurnPorts {
  readonly model: ModelPort;
  readonly tools: ToolRunner;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** Model requests a turn may make. */
  readonly maxLaps: number;
}
