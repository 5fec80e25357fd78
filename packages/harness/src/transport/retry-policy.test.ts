import assert from "node:assert/strict";
import { test } from "node:test";
import { TransportError, type TransportErrorDetails } from "../errors.ts";
import { decideRetry, defaultRetryLimits } from "./retry-policy.ts";

function decide(failure: TransportError, attempt = 1, chained = false) {
  return decideRetry({ failure, attempt, chained, random: 0.5 }, defaultRetryLimits);
}

function rejected(details: TransportErrorDetails): TransportError {
  return new TransportError("rejected", "x", details);
}

test("a short list of codes and statuses is final", () => {
  for (const code of ["context_length_exceeded", "insufficient_quota", "invalid_prompt", "model_not_found"]) {
    assert.equal(decide(rejected({ code })).kind, "give-up");
  }
  for (const status of [400, 401, 403, 404, 413, 422]) {
    assert.equal(decide(rejected({ code: "anything", status })).kind, "give-up");
  }
});

test("everything else is tried again before output", () => {
  for (const code of [
    "server_error",
    "engine_restarting",
    "slow_down",
    "never heard of",
    "rate_limit_exceeded",
  ]) {
    assert.equal(decide(rejected({ code, status: 503 })).kind, "retry");
  }
  for (const kind of [
    "upgrade_required",
    "refused",
    "unreachable",
    "timeout",
    "broken",
    "protocol",
  ] as const) {
    assert.equal(decide(new TransportError(kind, "x")).kind, "retry");
  }
});

test("a lost chain is resent at once, and only where there was one", () => {
  for (const code of ["previous_response_not_found", "settings_mismatch"]) {
    assert.deepEqual(decide(rejected({ code, status: 400 }), 1, true), { kind: "retry", delayMs: 0 });
    assert.equal(decide(rejected({ code, status: 400 }), 1, false).kind, "give-up");
  }
  const aged = rejected({ code: "websocket_connection_limit_reached", status: 400 });
  assert.deepEqual(decide(aged), { kind: "retry", delayMs: 0 });
});

test("the server's wait is honoured up to a limit, else the wait doubles up to a limit", () => {
  assert.deepEqual(decide(rejected({ code: "x", status: 429, retryAfterMs: 1234 })), {
    kind: "retry",
    delayMs: 1234,
  });
  const tooLong = rejected({ code: "x", status: 429, retryAfterMs: defaultRetryLimits.maxRetryAfterMs + 1 });
  assert.equal(decide(tooLong).kind, "give-up");
  const waits = [1, 2, 3, 4, 5].map((attempt) => {
    const decision = decide(rejected({ status: 500 }), attempt);
    return decision.kind === "retry" ? decision.delayMs : -1;
  });
  assert.deepEqual(waits, [200, 400, 800, 1600, 3200]);
});

test("attempts are bounded", () => {
  assert.equal(decide(rejected({ status: 500 }), defaultRetryLimits.attempts).kind, "give-up");
});
