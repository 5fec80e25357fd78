import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { FakePipeline } from "../testing/fake-respond.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { startServer } from "../testing/test-server.ts";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test("a client that does not read its events stops its own response, and is cut in the end", async () => {
  const clock = new ManualClock();
  const pipeline = new FakePipeline();
  let emitted = 0;
  pipeline.between = async ({ signal }, emit) => {
    const place = { item_id: "msg_1", output_index: 0, content_index: 0 };
    while (!signal.aborted && emitted < 5000) {
      await emit({ type: "response.output_text.delta", ...place, delta: "x".repeat(65_536), logprobs: [] });
      emitted += 1;
    }
  };
  const limits = { sendBufferBytes: 131_072, sendStallMs: 5000 };
  await using server = await startServer({ clock, limits }, pipeline);
  const body = JSON.stringify({ model: "test-model", input: "hi", stream: true });
  const socket = connect(server.port, "127.0.0.1");
  socket.pause();
  socket.on("error", () => undefined);
  socket.write(
    `POST /v1/responses HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n` +
      `content-length: ${body.length}\r\n\r\n${body}`,
  );
  for (let before = -1; before !== emitted || emitted === 0; ) {
    before = emitted;
    await pause(20);
  }
  assert.ok(emitted < 1000, `decoding went on for ${emitted} deltas of 64 kB`);
  const isAborted = () => pipeline.incoming[0]?.signal.aborted === true;
  assert.ok(!isAborted());
  await clock.advance(5000);
  while (!isAborted()) await pause(2);
  while (server.log.length === 0) await pause(2);
  assert.equal(server.log[0]?.fields.status, 499);
  socket.destroy();
});
