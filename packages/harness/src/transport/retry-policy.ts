import type { TransportError } from "../errors.ts";

/** Bounds of retrying one response. Durations are milliseconds. */
export interface RetryLimits {
  /** Attempts in all, the first one included. */
  readonly attempts: number;
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  /** A server that asks for a longer wait than this ends the turn instead. */
  readonly maxRetryAfterMs: number;
}

export const defaultRetryLimits: RetryLimits = {
  attempts: 6,
  firstDelayMs: 200,
  maxDelayMs: 5_000,
  maxRetryAfterMs: 60_000,
};

/** What trying again cannot heal. Kept short: any other failure is tried again (techniques.md, H1). */
const terminalCodes: ReadonlySet<string> = new Set([
  "bio_policy",
  "context_length_exceeded",
  "cyber_policy",
  "insufficient_quota",
  "invalid_api_key",
  "invalid_prompt",
  "model_not_found",
  "usage_not_included",
]);

/** 400s that say that the server's memory of the chain is gone: everything is sent again, once. */
const chainCodes: ReadonlySet<string> = new Set([
  "previous_response_not_found",
  "settings_mismatch",
  "websocket_connection_limit_reached",
]);

const terminalStatuses: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 413, 415, 422]);

export type RetryDecision =
  | { readonly kind: "give-up" }
  | { readonly kind: "retry"; readonly delayMs: number };

export interface FailedAttempt {
  readonly failure: TransportError;
  /** Attempts made so far, this one included. */
  readonly attempt: number;
  /** Whether the request continued an earlier response. */
  readonly chained: boolean;
  /** A number in [0, 1) that spreads the retries of many clients. */
  readonly random: number;
}

/** Whether and when to try again. */
export function decideRetry(attempt: FailedAttempt, limits: RetryLimits): RetryDecision {
  const { failure } = attempt;
  if (attempt.attempt >= limits.attempts) return { kind: "give-up" };
  if (failure.kind === "rejected") {
    if (chainCodes.has(failure.code)) {
      const isSocketAge = failure.code === "websocket_connection_limit_reached";
      return attempt.chained || isSocketAge ? { kind: "retry", delayMs: 0 } : { kind: "give-up" };
    }
    if (terminalCodes.has(failure.code)) return { kind: "give-up" };
    if (failure.status !== null && terminalStatuses.has(failure.status)) return { kind: "give-up" };
  }
  if (failure.retryAfterMs !== null) {
    if (failure.retryAfterMs > limits.maxRetryAfterMs) return { kind: "give-up" };
    return { kind: "retry", delayMs: failure.retryAfterMs };
  }
  const backoff = Math.min(limits.maxDelayMs, limits.firstDelayMs * 2 ** (attempt.attempt - 1));
  return { kind: "retry", delayMs: backoff * (0.75 + attempt.random / 2) };
}
