import assert from "node:assert/strict";
import { test } from "node:test";
import { WireError } from "@slipstream-stack/protocol";
import { FakePipeline, fakeResponse } from "../testing/fake-respond.ts";
import { parseSse, startServer } from "../testing/test-server.ts";

const body = { model: "test-model", input: "hi" };

async function codeOf(response: Response): Promise<string> {
  const { error } = (await response.json()) as { error: { code: string } };
  return error.code;
}

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
  assert.match(response.headers.get("x-request-id") ?? "", /^req_/);
  assert.equal(response.headers.get("x-slipstream-settings-inheritance"), "1");
  const { events, isDone } = parseSse(await response.text());
  assert.ok(isDone);
  assert.deepEqual(
    events.map((event) => event.sequence_number),
    events.map((_, index) => index),
  );
  assert.equal(events[0]?.type, "response.created");
  assert.equal(events.at(-1)?.type, "response.completed");
});

test("the inheritance of settings is announced only where it is on", async () => {
  await using server = await startServer({ settingsInheritance: false });
  const response = await server.post("/v1/responses", body);
  assert.equal(response.headers.get("x-slipstream-settings-inheritance"), null);
});

test("a failure before the first event keeps its status, streamed or not, with retry-after", async () => {
  const pipeline = new FakePipeline();
  await using server = await startServer({}, pipeline);
  pipeline.before = () => {
    throw new WireError("rate_limit_exceeded", "busy");
  };
  for (const stream of [false, true]) {
    const response = await server.post("/v1/responses", { ...body, stream });
    assert.equal(response.status, 429);
    assert.equal(response.headers.get("retry-after"), "1");
    assert.equal(await codeOf(response), "rate_limit_exceeded");
  }
  pipeline.before = () => {
    throw new TypeError("secret detail");
  };
  const response = await server.post("/v1/responses", body);
  assert.equal(response.status, 500);
  assert.ok(!(await response.text()).includes("secret"));
  assert.ok(server.log.some(({ level, fields }) => level === "error" && fields.err instanceof TypeError));
});

test("a failure in mid-stream is an error event, and the stream ends", async () => {
  const pipeline = new FakePipeline();
  await using server = await startServer({}, pipeline);
  pipeline.between = () => {
    throw new Error("broken");
  };
  const { events, isDone } = parseSse(
    await (await server.post("/v1/responses", { ...body, stream: true })).text(),
  );
  assert.ok(isDone);
  const last = events.at(-1);
  assert.deepEqual([last?.type, last?.code, last?.param], ["error", "server_error", null]);
});

test("a response that failed without streaming is an HTTP error", async () => {
  await using server = await startServer({
    respond: async (incoming) => ({
      ...fakeResponse("resp_1", incoming),
      status: "failed",
      error: { code: "server_error", message: "the engine went away" },
    }),
  });
  const response = await server.post("/v1/responses", body);
  assert.equal(response.status, 500);
  assert.equal(await codeOf(response), "server_error");
});

test("the log has one line per request, without content", async () => {
  await using server = await startServer();
  await server
    .post("/v1/responses", { ...body, input: "a very private text", stream: true })
    .then((r) => r.text());
  await new Promise((resolve) => setTimeout(resolve, 10));
  assert.equal(server.log.length, 1);
  const [line] = server.log;
  assert.ok(!JSON.stringify(line).includes("private"));
  const { status, transport, route, responseId, bytesIn, bytesOut } = line!.fields;
  assert.deepEqual([status, transport, route, responseId], [200, "sse", "POST /v1/responses", "resp_1"]);
  assert.ok((bytesIn as number) > 50 && (bytesOut as number) > 1000);
});

test("a pipeline that leaves out the terminal event still ends its stream by the response's status", async () => {
  for (const [status, type] of [
    ["completed", "response.completed"],
    ["incomplete", "response.incomplete"],
    ["failed", "response.failed"],
  ] as const) {
    await using server = await startServer({
      respond: async (incoming, emit) => {
        const response = fakeResponse("resp_1", incoming);
        await emit({ type: "response.created", response });
        return { ...response, status };
      },
    });
    const answer = await server.post("/v1/responses", { ...body, stream: true });
    assert.deepEqual(
      parseSse(await answer.text()).events.map((event) => event.type),
      ["response.created", type],
    );
  }
});
