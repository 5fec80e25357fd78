import type { Scope } from "@slipstream-stack/inference";
import type { LapRecord } from "@slipstream-stack/protocol";

/** What one request was, without its content. Durations in milliseconds, sizes in payload bytes. */
export interface RequestSummary {
  readonly requestId: string;
  readonly transport: LapRecord["transport"];
  /** The route's pattern, never the path: ids belong to `responseId`. */
  readonly route: string;
  readonly status: number;
  readonly code: string | null;
  readonly scope: Scope | null;
  readonly responseId: string | null;
  readonly ms: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly cause?: unknown;
}
