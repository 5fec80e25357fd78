import { WireError } from "@slipstream-stack/protocol";

/** Any failure as the error a client may see: nothing of an unexpected one but that it happened. */
export function wireFailure(error: unknown): WireError {
  if (WireError.isInstance(error)) return error;
  return new WireError("server_error", "The server failed to process the request; try again.", {
    cause: error,
  });
}

/** Headers that go with an error: a 429 or 503 without `retry-after` ends some clients' turns. */
export function errorHeaders(error: WireError): Record<string, string> {
  const retryable = error.status === 429 || error.status === 503;
  const seconds = error.retryAfterSeconds ?? (retryable ? 1 : null);
  return seconds === null ? {} : { "retry-after": String(seconds) };
}
