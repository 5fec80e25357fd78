import assert from "node:assert/strict";
import { test } from "node:test";
import { WireError } from "@slipstream-stack/protocol";
import { defaultLimits } from "../limits.ts";
import { FakePipeline } from "../testing/fake-respond.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { type Message, startServer } from "../testing/test-server.ts";

const create = { type: "response.create", model: "test-model", input: "hi" };
const errorOf = (message: Message | undefined) =>
  message?.error as { code: string; headers?: Record<string, string> };
const idOf = (message: Message | undefined) => (message!.response as { id: string }).id;

/** Waits, a turn of the event loop at a time, for something other than a message. */
async function eventually(holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 2000; turn += 1) {
    if (holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  assert.fail("it never came to be");
}

/** A pipeline whose requests wait, each for its own release. */
function heldPipeline() {
  const pipeline = new FakePipeline();
  const release = new Map<string, () => void>();
  pipeline.between = ({ signal }, _emit, id) =>
    new Promise((resolve) => {
      release.set(id, resolve);
      signal.addEventListener("abort", () => resolve());
    });
  return { pipeline, release };
}

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
    assert.equal(idOf(events.at(-1)), id);
  }
});

test("a prewarm is answered by created and completed, and may be empty", async () => {
  await using server = await startServer();
  await using socket = await server.connect();
  socket.send({ type: "response.create", model: "test-model", input: [], generate: false });
  const events = await socket.until("response.completed");
  assert.deepEqual(
    events.map((event) => event.type),
    ["response.created", "response.completed"],
  );
});

test("named lanes interleave and carry their name on every event, errors included", async () => {
  const { pipeline, release } = heldPipeline();
  await using server = await startServer({}, pipeline);
  await using socket = await server.connect();
  socket.send({ ...create, stream_id: "a" });
  socket.send({ ...create, stream_id: "b" });
  socket.send({ ...create, stream_id: "a" });
  await eventually(() => release.size === 2);
  assert.deepEqual(
    pipeline.incoming.map((incoming) => incoming.connection?.lane),
    ["a", "b"],
  );
  release.get("resp_2")?.();
  const events = await socket.until("response.completed");
  assert.equal(events.at(-1)?.stream_id, "b");
  release.get("resp_1")?.();
  await eventually(() => release.size === 3);
  release.get("resp_3")?.();
  events.push(...(await socket.until("response.completed")), ...(await socket.until("response.completed")));
  assert.ok(events.every((event) => event.stream_id === "a" || event.stream_id === "b"));
  socket.send({ ...create, stream_id: "a", temperature: 9 });
  const refused = await socket.next();
  assert.deepEqual([refused.type, refused.stream_id, errorOf(refused).code], ["error", "a", "invalid_value"]);
});

test("lane names and their number have exact error codes", async () => {
  await using server = await startServer();
  await using socket = await server.connect();
  socket.send({ ...create, stream_id: "no spaces" });
  assert.equal(errorOf(await socket.next()).code, "invalid_stream_id");
  for (let index = 0; index < 32; index += 1) {
    socket.send({ ...create, stream_id: `lane-${index}`, generate: false });
    await socket.until("response.completed");
  }
  socket.send({ ...create, stream_id: "one-more" });
  assert.equal(errorOf(await socket.next()).code, "websocket_stream_limit_reached");
});

test("at most so many responses run at once; more wait", async () => {
  const { pipeline, release } = heldPipeline();
  await using server = await startServer({}, pipeline);
  await using socket = await server.connect();
  for (let index = 0; index < 20; index += 1) socket.send({ ...create, stream_id: `lane-${index}` });
  await eventually(() => release.size === 16);
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(pipeline.incoming.length, 16);
  release.get("resp_1")?.();
  await eventually(() => release.size === 17);
});

test("an error before the response ends the request alone, with a retry hint inside the error", async () => {
  const pipeline = new FakePipeline();
  await using server = await startServer({}, pipeline);
  await using socket = await server.connect();
  pipeline.before = () => {
    throw new WireError("rate_limit_exceeded", "busy", { retryAfterSeconds: 3 });
  };
  socket.send(create);
  const refused = await socket.next();
  assert.equal(refused.status, 429);
  assert.deepEqual(errorOf(refused).headers, { "retry-after": "3" });
  pipeline.before = () => {
    throw new Error("a bug with secret details");
  };
  socket.send(create);
  const failed = await socket.next();
  assert.deepEqual([failed.status, errorOf(failed).code], [500, "server_error"]);
  assert.ok(!JSON.stringify(failed).includes("secret"));
  pipeline.before = () => undefined;
  socket.send(create);
  await socket.until("response.completed");
});

test("messages that are no creates get their coded answer and the connection lives", async () => {
  await using server = await startServer({ limits: { bodyBytes: 2000 } });
  await using socket = await server.connect();
  socket.send({ type: "response.steer", previous_response_id: "resp_1", input: "faster" });
  const steer = await socket.next();
  assert.equal(steer.type, "response.steer.failed");
  assert.equal(errorOf(steer).code, "steering_not_supported");
  assert.deepEqual(steer.steer, { previous_response_id: "resp_1", input: "faster" });
  socket.send({ type: "response.inject", response_id: "resp_1", input: [], stream_id: "side" });
  const inject = await socket.next();
  assert.deepEqual(
    [inject.type, inject.stream_id, inject.response_id],
    ["response.inject.failed", "side", "resp_1"],
  );
  assert.equal(errorOf(inject).code, "response_not_found");
  const refusals: [string | Buffer, string][] = [
    ['{"type":"response.interrupt","response_id":"resp_1"}', "invalid_value"],
    ['{"type":"session.update"}', "invalid_value"],
    ['{"model":"m"}', "missing_required_parameter"],
    ["not json", "invalid_json"],
    [Buffer.from(JSON.stringify(create)), "invalid_value"],
    [JSON.stringify({ ...create, input: "x".repeat(2500) }), "request_too_large"],
  ];
  for (const [message, code] of refusals) {
    socket.socket.send(message);
    assert.equal(errorOf(await socket.next()).code, code);
  }
  socket.send(create);
  await socket.until("response.completed");
});

test("a client that leaves aborts its requests; what waited never begins, and its state is let go", async () => {
  const { pipeline, release } = heldPipeline();
  await using server = await startServer({}, pipeline);
  const socket = await server.connect();
  socket.send(create);
  socket.send(create);
  await eventually(() => release.size === 1);
  assert.equal(pipeline.incoming[0]?.signal.aborted, false);
  await socket[Symbol.asyncDispose]();
  await eventually(() => server.observed.length === 1);
  assert.ok(pipeline.incoming[0]?.signal.aborted);
  assert.equal(pipeline.incoming.length, 1);
  assert.deepEqual(server.observed, [`closed ${pipeline.incoming[0]?.connection?.id}`]);
  assert.deepEqual(
    server.log.map(({ fields }) => fields.status),
    [499],
  );
});

test("a refused continuation names its parent, so that it can be evicted", async () => {
  await using server = await startServer();
  await using socket = await server.connect();
  socket.send({ ...create, previous_response_id: "resp_7", top_p: 5 });
  assert.equal(errorOf(await socket.next()).code, "invalid_value");
  assert.deepEqual(server.observed, ["refused resp_7"]);
});

test("after its lifetime a connection is told so and closed, once running responses have ended", async () => {
  const clock = new ManualClock();
  const { pipeline, release } = heldPipeline();
  await using server = await startServer({ clock }, pipeline);
  await using socket = await server.connect();
  socket.send(create);
  await eventually(() => release.size === 1);
  // The pings of an hour are answered in real time, between the steps of the clock.
  for (let minute = 0; minute < 120; minute += 1) {
    await clock.advance(30_000);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  socket.send(create);
  await eventually(() => socket.received.some((message) => message.type === "error"));
  release.get("resp_1")?.();
  const messages = await socket.until("response.completed");
  assert.equal(
    errorOf(messages.find((message) => message.type === "error")).code,
    "websocket_connection_limit_reached",
  );
  const last = await socket.next();
  assert.deepEqual([last.status, errorOf(last).code], [400, "websocket_connection_limit_reached"]);
  assert.equal(await socket.closed(), 1001);
});

test("a silent prefill is kept alive by events, a dead client is found by pings", async () => {
  const clock = new ManualClock();
  const { pipeline, release } = heldPipeline();
  await using server = await startServer({ clock }, pipeline);
  await using socket = await server.connect();
  socket.send(create);
  await eventually(() => release.size === 1);
  await clock.advance(15_000);
  await eventually(
    () => socket.received.filter((message) => message.type === "response.in_progress").length === 2,
  );
  socket.socket.pause();
  await clock.advance(200_000);
  await eventually(() => pipeline.incoming[0]?.signal.aborted === true);
});

test("a client that does not read stops its own response, and is cut in the end", async () => {
  const clock = new ManualClock();
  const pipeline = new FakePipeline();
  let emitted = 0;
  pipeline.between = async ({ signal }, emit) => {
    const delta = "x".repeat(64 * 1024);
    while (!signal.aborted && emitted < 5000) {
      await emit({
        type: "response.output_text.delta",
        item_id: "msg_1",
        output_index: 0,
        content_index: 0,
        delta,
        logprobs: [],
      });
      emitted += 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const limits = { sendBufferBytes: 128 * 1024, sendStallMs: 5000, pingMs: defaultLimits.connectionMs };
  await using server = await startServer({ clock, limits }, pipeline);
  await using socket = await server.connect({ perMessageDeflate: false });
  socket.send(create);
  await socket.until("response.in_progress");
  socket.socket.pause();
  let before = -1;
  await eventually(() => {
    const isStill = emitted === before && emitted > 0;
    before = emitted;
    return isStill;
  });
  assert.ok(emitted < 1000, `decoding went on for ${emitted} deltas of 64 kB`);
  await clock.advance(5000);
  await eventually(() => pipeline.incoming[0]?.signal.aborted === true);
  socket.socket.resume();
  const metrics = await (await fetch(`${server.base}/metrics`)).text();
  assert.match(metrics, /slipstream_send_cuts_total 1/);
});

test("upgrades are refused by status: switched off, wrong key, wrong path, foreign origin", async () => {
  await using off = await startServer({ webSocket: false });
  await assert.rejects(off.connect(), /\b426\b/);
  await using keyed = await startServer({ keys: [{ key: "k1", scope: "one" }] });
  await assert.rejects(keyed.connect(), /\b401\b/);
  await assert.rejects(keyed.connect({ headers: { authorization: "Bearer k2" } }), /\b401\b/);
  await assert.rejects(
    keyed.connect({ headers: { authorization: "Bearer k1" }, origin: "https://evil.example" }),
    /\b403\b/,
  );
  await assert.rejects(
    keyed.connect({ headers: { authorization: "Bearer k1", host: "evil.example" } }),
    /\b403\b/,
  );
  await using socket = await keyed.connect({ headers: { authorization: "Bearer k1" } });
  socket.send(create);
  await socket.until("response.completed");
  assert.equal(keyed.pipeline.incoming[0]?.scope, "one");
  assert.equal(keyed.pipeline.incoming[0]?.headers.authorization, undefined, "the key goes no further");
});

test("compression is offered and works both ways", async () => {
  await using server = await startServer();
  await using socket = await server.connect({ perMessageDeflate: { threshold: 0 } });
  assert.match(socket.socket.extensions, /permessage-deflate/);
  socket.send({ ...create, instructions: "x".repeat(5000) });
  await socket.until("response.completed");
  assert.equal(server.pipeline.incoming[0]?.request.instructions?.length, 5000);
});

test("a large message keeps its place in the order", async () => {
  await using server = await startServer();
  await using socket = await server.connect();
  socket.send({ ...create, input: "x".repeat(600_000) });
  socket.send({ ...create, input: "small" });
  await socket.until("response.completed");
  await socket.until("response.completed");
  const sizes = server.pipeline.incoming.map(({ bytesIn }) => bytesIn > 500_000);
  assert.deepEqual(sizes, [true, false]);
  socket.send({ ...create, input: "later" });
  await socket.until("response.completed");
});

test("a settings fingerprint stands in for missing settings", async () => {
  await using server = await startServer();
  await using socket = await server.connect();
  socket.send({
    type: "response.create",
    input: "go on",
    previous_response_id: "resp_1",
    slipstream_settings: "abc",
  });
  await socket.until("response.completed");
  const [incoming] = server.pipeline.incoming;
  assert.deepEqual([incoming?.inherit, incoming?.request.model], ["abc", ""]);
});
