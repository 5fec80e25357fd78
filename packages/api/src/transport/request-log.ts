import type { Scope } from "@slipstream-stack/inference";
import type { LapRecord } from "@slipstream-stack/protocol";
import type { TransportMetrics } from "./metrics.ts";

/** The part of a pino logger that is used here. */
export interface Logger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

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

/** Writes the one log line of a request and counts it. */
export function recordRequest(logger: Logger, metrics: TransportMetrics, summary: RequestSummary): void {
  const { cause, ...fields } = summary;
  metrics.finished(summary);
  if (summary.status >= 500) logger.error({ ...fields, err: cause }, "request failed");
  else logger.info(fields, "request");
}
