import type { EngineErrorCode, EngineEvent } from "@slipstream-stack/inference";
import { WireError } from "@slipstream-stack/protocol";

type Failure = Extract<EngineEvent, { type: "error" }>;

/** Seconds after which a retry is likely to find a restarted engine. */
const restartSeconds = 2;

/**
 * The one place where engine codes become wire errors. A retryable failure is a 503 `server_error` with
 * `retry-after`: never `server_is_overloaded`, which ends a Codex turn (responses-api, 16 and 17.6).
 */
export function engineFailure({ code, message, retryable }: Failure): WireError {
  const known: Partial<Record<EngineErrorCode, WireError>> = {
    invalid_request: new WireError("invalid_value", message, { param: "input" }),
    cancelled: new WireError("client_closed_request", "The request was cancelled."),
  };
  const mapped = known[code];
  if (mapped !== undefined) return mapped;
  if (!retryable) return new WireError("server_error", message);
  return new WireError("server_error", message, { status: 503, retryAfterSeconds: restartSeconds });
}
