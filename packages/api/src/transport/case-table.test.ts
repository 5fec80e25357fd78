import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { BadCase } from "./testing/case-table.ts";
import { badCases, goodCases } from "./testing/case-table.ts";
import { parseSse, startServer, type TestServer, TestSocket } from "./testing/test-server.ts";

interface Refusal {
  readonly status: number;
  readonly code: string | null;
  readonly param: string | null;
  readonly type: string;
  readonly message: string;
}

/** One way to send a create: the refusal it got, or the types of its events. */
interface Carrier {
  readonly name: string;
  send(server: TestServer, body: BadCase["body"]): Promise<Refusal | string[]>;
}

async function httpRefusal(response: Response): Promise<Refusal> {
  const { error } = (await response.json()) as { error: Omit<Refusal, "status"> };
  assert.deepEqual(Object.keys(error).sort(), ["code", "message", "param", "type"]);
  return { status: response.status, ...error };
}

const json: Carrier = {
  name: "HTTP JSON",
  async send(server, body) {
    const response = await server.post("/v1/responses", body);
    if (response.status !== 200) return httpRefusal(response);
    assert.equal(((await response.json()) as { object: string }).object, "response");
    return [];
  },
};

const sse: Carrier = {
  name: "SSE",
  async send(server, body) {
    const streamed = typeof body === "string" ? body : { ...body, stream: true };
    const response = await server.post("/v1/responses", streamed);
    if (response.status !== 200) return httpRefusal(response);
    return parseSse(await response.text()).events.map((event) => event.type);
  },
};

const webSocket: Carrier = {
  name: "WebSocket",
  async send(server, body) {
    await using socket = await server.connect();
    socket.send(typeof body === "string" ? body : { type: "response.create", ...body });
    const events = await socket.until("response.completed", "error");
    const last = events.at(-1);
    if (last?.type !== "error") return events.map((event) => event.type);
    const { code, param, type, message } = last.error as Refusal;
    return { status: last.status as number, code, param, type, message };
  },
};

for (const carrier of [json, sse, webSocket]) {
  describe(carrier.name, () => {
    let server: TestServer;
    before(async () => {
      server = await startServer();
    });
    after(() => server[Symbol.asyncDispose]());

    for (const { name, body, ...expected } of badCases) {
      test(`refuses: ${name}`, async () => {
        const refusal = (await carrier.send(server, body)) as Refusal;
        assert.ok(!Array.isArray(refusal), "it was taken");
        const { status, code, param } = refusal;
        assert.deepEqual({ status, code, param }, expected, refusal.message);
        assert.equal(refusal.type, "invalid_request_error");
      });
    }
    for (const { name, body } of goodCases) {
      test(`takes: ${name}`, async () => {
        const events = await carrier.send(server, body);
        assert.ok(Array.isArray(events), JSON.stringify(events));
      });
    }
  });
}

test("SSE and WebSocket give the same event sequence", async () => {
  await using server = await startServer();
  for (const { body } of goodCases) {
    assert.deepEqual(await sse.send(server, body), await webSocket.send(server, body));
  }
});

test("the same request reaches the pipeline the same on every transport", async () => {
  await using server = await startServer();
  const body = { model: "test-model", input: "hi", tools: [], store: false, metadata: { a: "b" } };
  for (const carrier of [json, sse, webSocket]) await carrier.send(server, body);
  const seen = server.pipeline.incoming.map(({ request, settingsKey, scope, inherit }) => {
    const { stream: _stream, type: _type, ...rest } = request;
    return { rest, settingsKey, scope, inherit };
  });
  assert.equal(seen.length, 3);
  assert.deepEqual(seen[1], seen[0]);
  assert.deepEqual(seen[2], seen[0]);
  assert.deepEqual(
    server.pipeline.incoming.map((incoming) => [incoming.transport, incoming.connection?.lane]),
    [
      ["http", undefined],
      ["sse", undefined],
      ["websocket", ""],
    ],
  );
  assert.deepEqual(seen[0]?.rest.input, [{ type: "message", role: "user", content: "hi" }]);
});

test("a bad request on a socket leaves it usable", async () => {
  await using server = await startServer();
  await using socket = await server.connect();
  for (const { body } of badCases) {
    socket.send(typeof body === "string" ? body : { type: "response.create", ...body });
    assert.equal((await socket.next()).type, "error");
  }
  socket.send({ type: "response.create", model: "test-model", input: "hi" });
  assert.equal((await socket.until("response.completed")).at(-1)?.type, "response.completed");
  assert.ok(socket instanceof TestSocket);
});
