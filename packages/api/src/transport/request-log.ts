import type { TransportMetrics } from "./metrics.ts";
import type { RequestSummary } from "./request-summary.ts";

/** The part of a pino logger that is used here. */
export interface Logger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Writes the one log line of a request and counts it. */
export function recordRequest(logger: Logger, metrics: TransportMetrics, summary: RequestSummary): void {
  const { cause, ...fields } = summary;
  metrics.finished(summary);
  if (summary.status >= 500) logger.error({ ...fields, err: cause }, "request failed");
  else logger.info(fields, "request");
}
