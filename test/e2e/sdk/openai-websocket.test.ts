import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import OpenAI from "openai";
import { ResponsesWS } from "openai/resources/responses/ws";
import { type ChildServer, model, startChildServer } from "../../conformance/support/child-server.ts";

type ServerEvent = OpenAI.Responses.ResponsesServerEvent;

let server: ChildServer;
let client: OpenAI;
before(async () => {
  server = await startChildServer();
  client = new OpenAI({ baseURL: server.baseUrl, apiKey: "unused", maxRetries: 0 });
});
after(() => server[Symbol.asyncDispose]());

const terminal = new Set(["response.completed", "response.incomplete", "response.failed"]);

/** The SDK's socket with one iterator over its messages. */
function connect() {
  const socket = new ResponsesWS(client);
  const records = socket.stream();
  return {
    send: (event: OpenAI.Responses.ResponsesClientEvent) => socket.send(event),
    /** The messages up to the end of one request. */
    async turn(): Promise<ServerEvent[]> {
      const events: ServerEvent[] = [];
      for (;;) {
        const { value, done } = await records.next();
        if (done === true) throw new Error("the socket closed");
        if (value.type === "error") {
          // Without an event the socket itself failed.
          if (value.error.error === undefined) throw value.error;
          return [...events, value.error.error];
        }
        if (value.type !== "message") continue;
        events.push(value.message);
        if (terminal.has(value.message.type)) return events;
      }
    },
    close: () => socket.close(),
  };
}

function completed(events: readonly ServerEvent[]): OpenAI.Responses.Response {
  const last = events.at(-1);
  assert.ok(last?.type === "response.completed", JSON.stringify(last));
  return last.response;
}

test("responses follow one another on one socket, continued by id without being stored", async () => {
  const socket = connect();
  try {
    socket.send({ type: "response.create", model, input: "First.", store: false });
    const first = await socket.turn();
    assert.deepEqual(
      first.map((event) => ("sequence_number" in event ? event.sequence_number : null)),
      [...first.keys()],
    );
    socket.send({
      type: "response.create",
      model,
      input: "Second.",
      store: false,
      previous_response_id: completed(first).id,
    });
    const second = completed(await socket.turn());
    assert.equal(second.previous_response_id, completed(first).id);
    assert.ok(second.usage!.input_tokens > completed(first).usage!.total_tokens);
  } finally {
    socket.close();
  }
});

test("an error ends its request with the documented envelope, and the socket goes on", async () => {
  const socket = connect();
  try {
    socket.send({ type: "response.create", model, input: "x", previous_response_id: "resp_unknown" });
    const [error] = await socket.turn();
    assert.ok(error?.type === "error");
    const envelope = error as unknown as { status: number; error: { code: string; param: string } };
    assert.equal(envelope.status, 400);
    assert.equal(envelope.error.code, "previous_response_not_found");
    assert.equal(envelope.error.param, "previous_response_id");
    socket.send({ type: "response.create", model, input: "x" });
    assert.equal(completed(await socket.turn()).status, "completed");
  } finally {
    socket.close();
  }
});

test("the SDK's error event carries the server's code", async () => {
  const socket = new ResponsesWS(client);
  try {
    const failure = new Promise<{ error?: unknown }>((resolve) => socket.on("error", resolve));
    socket.send({ type: "response.create", model: "no-such-model", input: "x" });
    const event = (await failure).error as { error: { code: string; param: string } };
    assert.deepEqual([event.error.code, event.error.param], ["model_not_found", "model"]);
  } finally {
    socket.close();
  }
});

test("a prewarm writes nothing and is continued", async () => {
  const socket = connect();
  try {
    const warm = { type: "response.create", model, input: "Base.", store: false, generate: false } as const;
    socket.send(warm as OpenAI.Responses.ResponsesClientEvent);
    const prepared = completed(await socket.turn());
    assert.deepEqual(prepared.output, []);
    assert.equal(prepared.usage?.output_tokens, 0);
    socket.send({
      type: "response.create",
      model,
      input: "Go.",
      store: false,
      previous_response_id: prepared.id,
    });
    const answered = completed(await socket.turn());
    assert.ok(answered.output.length > 0);
    assert.ok(answered.usage!.input_tokens_details.cached_tokens > 0);
  } finally {
    socket.close();
  }
});

test("lanes of one socket are answered under their names", async () => {
  const socket = new ResponsesWS(client);
  try {
    const done = new Map<string, string[]>();
    const all = new Promise<void>((resolve, reject) => {
      socket.on("error", reject);
      socket.on("event", (event) => {
        const lane = String((event as { stream_id?: string }).stream_id);
        done.set(lane, [...(done.get(lane) ?? []), event.type]);
        const ends = [...done.values()].filter((types) => types.includes("response.completed"));
        if (ends.length === 2) resolve();
      });
    });
    for (const lane of ["left", "right"]) {
      const message = {
        type: "response.create",
        model,
        input: `I am ${lane}.`,
        store: false,
        stream_id: lane,
      };
      socket.send(message as OpenAI.Responses.ResponsesClientEvent);
    }
    await all;
    assert.deepEqual([...done.keys()].sort(), ["left", "right"]);
    for (const types of done.values()) assert.equal(types[0], "response.created");
  } finally {
    socket.close();
  }
});
