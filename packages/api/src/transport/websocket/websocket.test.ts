import assert from "node:assert/strict";
import { test } from "node:test";
import { startServer } from "../testing/test-server.ts";

const create = { type: "response.create", model: "test-model", input: "hi" };

test("creates on the default lane are answered one after the other, without stream_id", async () => {
  await using server = await startServer();
  await using socket = await server.connect();
  assert.equal(socket.headers["x-slipstream-settings-inheritance"], "1");
  socket.send({ ...create, stream: true });
  socket.send(create);
  for (const id of ["resp_1", "resp_2"]) {
    const events = await socket.until("response.completed");
    assert.deepEqual(
      events.map((event) => event.sequence_number),
      events.map((_, index) => index),
    );
    assert.ok(events.every((event) => !("stream_id" in event)));
    assert.equal((events.at(-1)!.response as { id: string }).id, id);
  }
});
