import assert from "node:assert/strict";
import { test } from "node:test";
import type { StreamEvent } from "@slipstream-stack/protocol";
import type { IncomingCreate } from "../respond/incoming.ts";
import { EventStream } from "./event-stream.ts";
import { fakeResponse, textEvents } from "./testing/fake-respond.ts";
import { ManualClock } from "./testing/manual-clock.ts";

const response = fakeResponse("resp_1", { request: { model: "m", input: [] } } as unknown as IncomingCreate);

function testStream(lane: string | null = null) {
  const clock = new ManualClock();
  const sent: StreamEvent[] = [];
  const stream = new EventStream({
    send: async (event) => void sent.push(event),
    lane,
    clock,
    keepAliveMs: 15_000,
  });
  return { clock, sent, stream };
}

test("silence is broken by a repeated in_progress, numbered like the rest and without output", async () => {
  const { clock, sent, stream } = testStream();
  await stream.emit({ type: "response.created", response });
  await stream.emit({ type: "response.in_progress", response });
  await clock.advance(46_000);
  assert.deepEqual(
    sent.map((event) => [event.type, event.sequence_number]),
    [
      ["response.created", 0],
      ["response.in_progress", 1],
      ["response.in_progress", 2],
      ["response.in_progress", 3],
      ["response.in_progress", 4],
    ],
  );
});

test("what is sent resets the silence, and the end ends it", async () => {
  const { clock, sent, stream } = testStream();
  await stream.emit({ type: "response.created", response });
  const [added] = textEvents("1", "x");
  for (let index = 0; index < 5; index += 1) {
    await clock.advance(10_000);
    await stream.emit(added!);
  }
  assert.ok(!sent.some((event) => event.type === "response.in_progress"));
  await stream.emit({ type: "response.completed", response });
  await clock.advance(100_000);
  assert.equal(sent.at(-1)?.type, "response.completed");
  assert.ok(stream.hasEnded);
});

test("nothing follows a terminal event, and nothing comes before the first event", async () => {
  const { clock, sent, stream } = testStream();
  await clock.advance(100_000);
  assert.equal(stream.hasStarted, false);
  await stream.emit({ type: "response.failed", response });
  await stream.emit({ type: "response.completed", response });
  assert.deepEqual(
    sent.map((event) => event.type),
    ["response.failed"],
  );
});

test("a named lane is on every event", async () => {
  const { clock, sent, stream } = testStream("side");
  await stream.emit({ type: "response.created", response });
  await clock.advance(16_000);
  assert.deepEqual(
    sent.map((event) => event.stream_id),
    ["side", "side"],
  );
});
