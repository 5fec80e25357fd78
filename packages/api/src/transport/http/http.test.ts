import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSse, startServer } from "../testing/test-server.ts";

const body = { model: "test-model", input: "hi" };

test("a create is answered as one JSON body", async () => {
  await using server = await startServer();
  const response = await server.post("/v1/responses", body);
  assert.equal(response.status, 200);
  assert.match(response.headers.get("content-type") ?? "", /^application\/json/);
  assert.match(response.headers.get("x-request-id") ?? "", /^req_/);
  assert.equal(response.headers.get("x-slipstream-settings-inheritance"), "1");
  const answer = (await response.json()) as Record<string, unknown>;
  assert.equal(answer.object, "response");
  assert.equal(answer.status, "completed");
});

test("a streamed create is answered as numbered events that end with [DONE]", async () => {
  await using server = await startServer();
  const response = await server.post("/v1/responses", { ...body, stream: true });
  assert.equal(response.status, 200);
  assert.match(response.headers.get("content-type") ?? "", /^text\/event-stream/);
  assert.equal(response.headers.get("cache-control"), "no-cache");
  assert.equal(response.headers.get("x-slipstream-settings-inheritance"), "1");
  const { events, isDone } = parseSse(await response.text());
  assert.ok(isDone);
  assert.deepEqual(
    events.map((event) => event.sequence_number),
    events.map((_, index) => index),
  );
  assert.deepEqual(
    events.map((event) => event.type).filter((type) => !type.includes("output")),
    [
      "response.created",
      "response.in_progress",
      "response.content_part.added",
      "response.content_part.done",
      "response.completed",
    ],
  );
});
