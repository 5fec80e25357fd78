import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonValue } from "@slipstream-stack/protocol";
import { TransportError } from "../errors.ts";
import { readUsage, readWireError, readWireEvent } from "./wire-event.ts";

function failureOf(value: JsonValue): TransportError {
  try {
    readWireEvent(value);
  } catch (error) {
    if (TransportError.isInstance(error)) return error;
  }
  return assert.fail("expected a TransportError");
}

test("events of the wire become the few events the loop knows; the rest is passed over", () => {
  const table: [JsonValue, unknown][] = [
    [
      { type: "response.created", response: { id: "r" } },
      { type: "created", responseId: "r" },
    ],
    [{ type: "response.output_item.added" }, { type: "item-started" }],
    [
      { type: "response.output_text.delta", delta: "a" },
      { type: "text-delta", delta: "a" },
    ],
    [
      { type: "response.reasoning_text.delta", delta: "b" },
      { type: "reasoning-delta", delta: "b" },
    ],
    [
      { type: "response.reasoning_summary_text.delta", delta: "c" },
      { type: "reasoning-delta", delta: "c" },
    ],
    [{ type: "response.in_progress" }, null],
    [{ type: "codex.rate_limits" }, null],
    [
      { type: "response.completed", response: { id: "r", slipstream_settings: "f" } },
      { type: "completed", responseId: "r", usage: null, reason: null, settingsFingerprint: "f" },
    ],
    [
      {
        type: "response.incomplete",
        response: { id: "r", incomplete_details: { reason: "max_output_tokens" } },
      },
      {
        type: "incomplete",
        responseId: "r",
        usage: null,
        reason: "max_output_tokens",
        settingsFingerprint: null,
      },
    ],
  ];
  for (const [value, expected] of table) assert.deepEqual(readWireEvent(value), expected);
});

test("an item of an unknown type is kept as it came", () => {
  const item = { type: "tool_search_call", arguments: { q: 1 } };
  assert.deepEqual(readWireEvent({ type: "response.output_item.done", item }), { type: "item", item });
});

test("a known item with wrong fields is a protocol failure", () => {
  const failure = failureOf({
    type: "response.output_item.done",
    item: { type: "function_call", name: "x" },
  });
  assert.equal(failure.kind, "protocol");
});

test("errors are read from every envelope, with status and wait", () => {
  const websocket = failureOf({
    type: "error",
    status: 429,
    error: { code: "rate_limit_exceeded", message: "slow", headers: { "Retry-After": "2" } },
  });
  assert.deepEqual(
    [websocket.code, websocket.status, websocket.retryAfterMs],
    ["rate_limit_exceeded", 429, 2000],
  );
  const flat = failureOf({ type: "error", code: "server_error", message: "x", param: null });
  assert.equal(flat.code, "server_error");
  const failed = failureOf({
    type: "response.failed",
    response: { id: "r", error: { code: "slow_down", message: "try again in 0.5s" } },
  });
  assert.deepEqual([failed.code, failed.retryAfterMs], ["slow_down", 500]);
  const http = readWireError({ error: { type: "server_error" } }, 503, { "retry-after": "1" });
  assert.deepEqual([http.code, http.status, http.retryAfterMs], ["server_error", 503, 1000]);
  const empty = readWireError(undefined, 502);
  assert.deepEqual([empty.kind, empty.code, empty.status], ["rejected", "rejected", 502]);
});

test("usage that leaves counts out counts as 0 there", () => {
  assert.equal(readUsage(null), null);
  assert.equal(readUsage({ input_tokens: 9 })?.input_tokens_details.cached_tokens, 0);
});
