import assert from "node:assert/strict";
import { test } from "node:test";
import { retryAfterMs } from "./retry-after.ts";

test("the header wins over the message, milliseconds over seconds", () => {
  assert.equal(retryAfterMs({ "retry-after": "1" }, "try again in 1.5s"), 1000);
  assert.equal(retryAfterMs({ "retry-after": "1", "retry-after-ms": "250" }, ""), 250);
  assert.equal(retryAfterMs({}, "Please try again in 0.7s."), 700);
  assert.equal(retryAfterMs({}, "Please try again in 30 ms."), 30);
});

test("no hint, and a hint that is no number, give null", () => {
  assert.equal(retryAfterMs({}, "busy"), null);
  assert.equal(retryAfterMs({ "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT" }, "busy"), null);
});
