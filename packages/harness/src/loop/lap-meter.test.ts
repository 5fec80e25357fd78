import assert from "node:assert/strict";
import { test } from "node:test";
import type { SentRequest } from "../transport/model-transport.ts";
import { ManualClock } from "../transport/testing/test-ports.ts";
import { LapMeter } from "./lap-meter.ts";

function sent(bytes: number, mode: "full" | "delta" = "delta"): SentRequest {
  const reason = mode === "full" ? "first_request" : null;
  return { type: "sent", transport: "websocket", mode, reason, bytes, itemBytes: bytes - 10, items: 2 };
}

test("attempts add up, and the first output counts from the attempt that brought it", () => {
  const clock = new ManualClock();
  clock.advance(1000);
  const meter = new LapMeter(clock, 3, 900);
  meter.requestSent(sent(100));
  clock.advance(40);
  meter.outputSeen();
  clock.advance(10);
  meter.requestSent(sent(500, "full"));
  clock.advance(30);
  meter.outputSeen();
  clock.advance(5);
  meter.outputSeen();
  meter.responseEnded("r", null);
  clock.advance(99);
  meter.toolRan(4);
  meter.toolRan(5);
  assert.deepEqual(meter.figures(), {
    lap: 3,
    responseId: "r",
    transport: "websocket",
    mode: "full",
    fullReason: "first_request",
    attempts: 2,
    bytesSent: 600,
    itemBytes: 490,
    items: 2,
    tokens: null,
    firstOutputMs: 30,
    modelMs: 85,
    toolMs: 9,
    loopGapMs: 100,
  });
});

test("a lap in which nothing was sent has no transport and no times of output", () => {
  const figures = new LapMeter(new ManualClock(), 1, null).figures();
  assert.deepEqual(
    [figures.transport, figures.attempts, figures.firstOutputMs, figures.loopGapMs],
    [null, 0, null, null],
  );
});
