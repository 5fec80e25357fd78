import type { Scope } from "@slipstream-stack/inference";
import type { LapRecord } from "@slipstream-stack/protocol";

/** What is learnt of an HTTP request on its way, for its log line. */
export interface RequestContext {
  readonly requestId: string;
  /** Milliseconds on the clock that only moves forward. */
  readonly startedAt: number;
  scope: Scope;
  transport: LapRecord["transport"];
  bytesIn: number;
  bytesOut: number;
  responseId: string | null;
  code: string | null;
  /** The status a log line shows where the HTTP status came before the outcome was known. */
  outcome: number | null;
  cause: unknown;
}
