import assert from "node:assert/strict";
import { test } from "node:test";
import { TransportError } from "../errors.ts";
import type { ModelTransport, TransportKind } from "./model-transport.ts";
import { ManualClock } from "./testing/test-ports.ts";
import { TransportSelector } from "./transport-selector.ts";

function transport(kind: TransportKind): ModelTransport {
  return { kind, respond: () => assert.fail(), warmUp: async () => {}, close: async () => {} };
}

const limits = { failures: 2, firstCoolDownMs: 100, maxCoolDownMs: 300 };
const broken = new TransportError("broken", "x");
const upgrade = new TransportError("upgrade_required", "x");

function selector(withFallback = true) {
  const clock = new ManualClock();
  const fallback = withFallback ? transport("http") : null;
  return { clock, selected: new TransportSelector(transport("websocket"), fallback, clock, limits) };
}

test("426 switches at once, and the socket is tried again after the cool-down", () => {
  const { clock, selected } = selector();
  assert.equal(selected.failed("websocket", upgrade), true);
  assert.equal(selected.current().kind, "http");
  clock.advance(99);
  assert.equal(selected.current().kind, "http");
  clock.advance(1);
  assert.equal(selected.current().kind, "websocket");
});

test("a refusal that asks for a wait switches at once, since the fallback can serve now", () => {
  const { selected } = selector();
  const busy = new TransportError("refused", "x", { status: 503, retryAfterMs: 30_000 });
  assert.equal(selected.failed("websocket", busy), true);
});

test("other failures switch when there are enough in a row, and success forgets them", () => {
  const { selected } = selector();
  assert.equal(selected.failed("websocket", broken), false);
  selected.succeeded("websocket");
  assert.equal(selected.failed("websocket", broken), false);
  assert.equal(selected.failed("websocket", broken), true);
  assert.equal(selected.current().kind, "http");
});

test("the cool-down doubles up to its limit and starts anew after a success", () => {
  const { clock, selected } = selector();
  for (const coolDown of [100, 200, 300, 300]) {
    selected.failed("websocket", upgrade);
    clock.advance(coolDown - 1);
    assert.equal(selected.current().kind, "http");
    clock.advance(1);
    assert.equal(selected.current().kind, "websocket");
  }
  selected.succeeded("websocket");
  selected.failed("websocket", upgrade);
  clock.advance(100);
  assert.equal(selected.current().kind, "websocket");
});

test("an answer of the server is no fault of the socket, nor is one of the fallback; alone there is no way out", () => {
  const { selected } = selector();
  for (let count = 0; count < 3; count++) {
    assert.equal(selected.failed("websocket", new TransportError("rejected", "x", { status: 500 })), false);
    assert.equal(selected.failed("http", broken), false);
  }
  assert.equal(selected.current().kind, "websocket");
  const { selected: alone } = selector(false);
  assert.equal(alone.failed("websocket", upgrade), false);
  assert.equal(alone.current().kind, "websocket");
});
