import type { Scope } from "@slipstream-stack/inference";
import { recordRequest } from "../request-log.ts";
import type { CreateOutcome } from "../run-create.ts";
import type { Service } from "../service.ts";

/** One request of a connection on its way, for its answer and its log line. */
export interface Run {
  readonly requestId: string;
  readonly lane: string;
  /** Milliseconds on the clock that only moves forward. */
  readonly startedAt: number;
  /** Payload bytes of its message. */
  readonly bytesIn: number;
  readonly parseMs: number;
  /** Payload bytes of its events so far. */
  bytesOut: number;
}

/** Writes the log line of a run that has ended. */
export function recordRun(service: Service, scope: Scope, outcome: CreateOutcome, run: Run): void {
  const error = outcome.kind === "failed" ? outcome.error : null;
  const response = outcome.kind === "answered" ? outcome.response : null;
  recordRequest(service.logger, service.metrics, {
    requestId: run.requestId,
    transport: "websocket",
    route: "response.create",
    status: error?.status ?? 200,
    code: error?.code ?? response?.error?.code ?? null,
    scope,
    responseId: response?.id ?? null,
    ms: service.clock.now() - run.startedAt,
    bytesIn: run.bytesIn,
    bytesOut: run.bytesOut,
    cause: error?.cause,
  });
}
