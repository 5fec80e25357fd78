import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { WireError } from "@slipstream-stack/protocol";
import { ApiError } from "../../errors.ts";
import type { Page } from "../../store/store.ts";
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

test("gzip and zstd bodies are taken; a bomb, a broken one and other encodings are refused by code", async () => {
  await using server = await startServer({ limits: { decompressedBytes: 100_000 } });
  const plain = Buffer.from(JSON.stringify(body));
  const send = (bytes: Uint8Array, encoding: string) =>
    server.post("/v1/responses", bytes, { "content-encoding": encoding });
  assert.equal((await send(gzipSync(plain), "gzip")).status, 200);
  assert.equal((await send(zstdCompressSync(plain), "zstd")).status, 200);
  assert.equal((await send(plain, "identity")).status, 200);
  const bomb = Buffer.from(JSON.stringify({ ...body, input: "0".repeat(10_000_000) }));
  for (const [bytes, encoding, status, code] of [
    [gzipSync(bomb), "gzip", 413, "request_too_large"],
    [zstdCompressSync(bomb), "zstd", 413, "request_too_large"],
    [plain, "gzip", 400, "invalid_json"],
    [plain, "zstd", 400, "invalid_json"],
    [plain, "br", 415, "unsupported_media_type"],
    [plain, "gzip, zstd", 415, "unsupported_media_type"],
    [plain, "constructor", 415, "unsupported_media_type"],
  ] as const) {
    const response = await send(bytes, encoding);
    assert.deepEqual([response.status, await codeOf(response)], [status, code], encoding);
  }
});

test("other media types are refused, a missing one is taken as JSON", async () => {
  await using server = await startServer();
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]) {
    const response = await server.post("/v1/responses", body, { "content-type": type });
    assert.deepEqual([response.status, await codeOf(response)], [415, "unsupported_media_type"]);
  }
  const withCharset = await server.post("/v1/responses", body, {
    "content-type": "application/json; charset=utf-8",
  });
  assert.equal(withCharset.status, 200);
  const none = await fetch(`${server.base}/v1/responses`, {
    method: "POST",
    body: Buffer.from(JSON.stringify(body)),
  });
  assert.equal(none.status, 200);
});

test("a body above the limit is refused, announced or not", async () => {
  await using server = await startServer({ limits: { bodyBytes: 50_000 } });
  const large = JSON.stringify({ ...body, input: "x".repeat(200_000) });
  const announced = await server.post("/v1/responses", large);
  assert.deepEqual([announced.status, await codeOf(announced)], [413, "request_too_large"]);
  const chunks = new ReadableStream({
    start(controller) {
      for (let at = 0; at < large.length; at += 10_000) {
        controller.enqueue(Buffer.from(large.slice(at, at + 10_000)));
      }
      controller.close();
    },
  });
  const init = {
    method: "POST",
    body: chunks,
    duplex: "half",
    headers: { "content-type": "application/json" },
  };
  const chunked = await fetch(`${server.base}/v1/responses`, init as RequestInit);
  assert.deepEqual([chunked.status, await codeOf(chunked)], [413, "request_too_large"]);
  assert.equal((await server.post("/v1/responses", body)).status, 200);
});

test("a large body is served", async () => {
  await using server = await startServer();
  const response = await server.post("/v1/responses", { ...body, input: "x".repeat(1_000_000) });
  assert.equal(response.status, 200);
});

test("unknown paths and methods have their codes, and a missing /v1 its hint", async () => {
  await using server = await startServer();
  const missing = await server.post("/responses", body);
  assert.equal(missing.status, 404);
  const { error } = (await missing.json()) as { error: { code: string; message: string } };
  assert.equal(error.code, "not_found");
  assert.ok(error.message.includes("/v1/responses"));
  for (const path of ["/", "/v2/responses", "/v1/nothing", "/v1/responses/a/b"]) {
    const response = await fetch(server.base + path);
    assert.deepEqual([response.status, await codeOf(response)], [404, "not_found"], path);
  }
  for (const [method, path, allow] of [
    ["GET", "/v1/responses", "POST"],
    ["PUT", "/v1/responses/resp_1", "GET, DELETE"],
    ["POST", "/v1/models", "GET"],
    ["DELETE", "/healthz", "GET"],
  ] as const) {
    const response = await fetch(server.base + path, { method });
    assert.deepEqual([response.status, await codeOf(response)], [405, "method_not_allowed"], path);
    assert.equal(response.headers.get("allow"), allow);
  }
});

test("stored responses are read, listed and deleted in the caller's scope", async () => {
  const calls: unknown[] = [];
  const stored = fakeResponse("resp_1", { request: { model: "m", input: [] } } as never);
  await using server = await startServer({
    keys: [{ key: "k", scope: "tenant" }],
    stored: {
      retrieve: async (scope, id) => {
        calls.push(["retrieve", scope, id]);
        return id === "resp_1" ? stored : null;
      },
      remove: async (scope, id) => {
        calls.push(["remove", scope, id]);
        return id === "resp_1";
      },
      inputItems: async (scope, id, page: Page) => {
        calls.push(["inputItems", scope, id, page]);
        return id === "resp_1" ? { data: [], firstId: null, lastId: null, hasMore: false } : null;
      },
    },
  });
  const call = (method: string, path: string) =>
    fetch(server.base + path, { method, headers: { authorization: "Bearer k" } });
  assert.deepEqual(await (await call("GET", "/v1/responses/resp_1")).json(), stored);
  assert.deepEqual(await (await call("DELETE", "/v1/responses/resp_1")).json(), {
    id: "resp_1",
    object: "response",
    deleted: true,
  });
  const page = await call("GET", "/v1/responses/resp_1/input_items?after=msg_3&limit=5&order=asc");
  assert.deepEqual(await page.json(), {
    object: "list",
    data: [],
    first_id: null,
    last_id: null,
    has_more: false,
  });
  await call("GET", "/v1/responses/resp_1/input_items");
  assert.deepEqual(calls, [
    ["retrieve", "tenant", "resp_1"],
    ["remove", "tenant", "resp_1"],
    ["inputItems", "tenant", "resp_1", { after: "msg_3", limit: 5, order: "asc" }],
    ["inputItems", "tenant", "resp_1", { after: null, limit: 20, order: "desc" }],
  ]);
  for (const [method, path] of [
    ["GET", "/v1/responses/resp_2"],
    ["DELETE", "/v1/responses/resp_2"],
    ["GET", "/v1/responses/resp_2/input_items"],
    ["GET", "/slipstream/v1/responses/resp_2/lap"],
  ] as const) {
    const response = await call(method, path);
    assert.deepEqual([response.status, await codeOf(response)], [404, "not_found"], path);
  }
  for (const query of ["limit=0", "limit=101", "limit=x", "order=up", "after=a&after=b"]) {
    const response = await call("GET", `/v1/responses/resp_1/input_items?${query}`);
    assert.deepEqual([response.status, await codeOf(response)], [400, "invalid_value"], query);
  }
  assert.equal((await call("GET", "/v1/responses/resp_1?stream=true")).status, 400);
});

test("counting, compacting, models, catalogue and lap are served", async () => {
  await using server = await startServer({ laps: { find: (_scope, id) => ({ response_id: id }) as never } });
  const json = async (path: string) =>
    (await fetch(server.base + path)).json() as Promise<Record<string, unknown>>;
  const counted = await server.post("/v1/responses/input_tokens", body);
  assert.deepEqual(await counted.json(), { object: "response.input_tokens", input_tokens: 7 });
  const compacted = await server.post("/v1/responses/compact", body);
  assert.equal(((await compacted.json()) as { object: string }).object, "response.compaction");
  const noModel = await server.post("/v1/responses/compact", { input: "hi" });
  assert.deepEqual([noModel.status, await codeOf(noModel)], [400, "missing_required_parameter"]);
  assert.equal((await json("/v1/models")).object, "list");
  assert.equal((await json("/v1/models/test-model")).id, "test-model");
  const unknown = await fetch(`${server.base}/v1/models/other`);
  assert.deepEqual([unknown.status, await codeOf(unknown)], [404, "model_not_found"]);
  const catalogue = await json("/codex/models?client_version=0.171.0");
  assert.equal((catalogue.models as { slug: string }[])[0]?.slug, "test-model");
  assert.equal((await json("/slipstream/v1/responses/resp_9/lap")).response_id, "resp_9");
});

test("health needs no key, all else does; metrics count by route and code", async () => {
  let ready = false;
  await using server = await startServer({ keys: [{ key: "k", scope: "s" }], isReady: () => ready });
  const authorized = { headers: { authorization: "Bearer k" } };
  assert.equal((await fetch(`${server.base}/healthz`)).status, 200);
  assert.equal((await fetch(`${server.base}/readyz`)).status, 503);
  ready = true;
  assert.equal((await fetch(`${server.base}/readyz`)).status, 200);
  for (const path of ["/metrics", "/v1/models", "/codex/models", "/v1/responses/x"]) {
    const response = await fetch(server.base + path);
    assert.deepEqual([response.status, await codeOf(response)], [401, "invalid_api_key"], path);
  }
  assert.equal((await server.post("/v1/responses", body)).status, 401);
  const metrics = await (await fetch(`${server.base}/metrics`, authorized)).text();
  assert.match(
    metrics,
    /slipstream_requests_total\{transport="http",route="POST \/v1\/responses",status="401",code="invalid_api_key"\} 1/,
  );
});

test("a foreign origin or host name gets 403", async () => {
  await using server = await startServer({ origins: ["https://app.example"] });
  const refused = await server.post("/v1/responses", body, { origin: "https://evil.example" });
  assert.deepEqual([refused.status, await codeOf(refused)], [403, "forbidden_origin"]);
  assert.equal((await server.post("/v1/responses", body, { origin: "https://app.example" })).status, 200);
  const answer = await rawRequest(
    server.port,
    "GET /v1/models HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n",
  );
  assert.match(answer, /^HTTP\/1\.1 403 /);
  assert.match(answer, /forbidden_origin/);
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

test("a client that leaves aborts its request, before the first event and after", async () => {
  for (const stage of ["before", "between"] as const) {
    const pipeline = new FakePipeline();
    const begun = Promise.withResolvers<AbortSignal>();
    pipeline[stage] = ({ signal }) => {
      begun.resolve(signal);
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
    };
    await using server = await startServer({}, pipeline);
    const leaving = new AbortController();
    const request = fetch(`${server.base}/v1/responses`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...body, stream: true }),
      signal: leaving.signal,
    })
      .then((response) => response.text())
      .catch(() => undefined);
    const signal = await begun.promise;
    assert.equal(signal.aborted, false);
    leaving.abort();
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve());
    });
    await request;
  }
});

function rawRequest(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    let answer = "";
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => {
      answer += chunk;
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(answer));
  });
}

test("what is not HTTP gets a coded error", async () => {
  await using server = await startServer();
  const answer = await rawRequest(server.port, "NOT HTTP AT ALL\r\n\r\n");
  assert.match(answer, /^HTTP\/1\.1 400 /);
  assert.equal(
    (JSON.parse(answer.split("\r\n\r\n")[1] ?? "") as { error: { code: string } }).error.code,
    "invalid_value",
  );
});

test("a port in use is a set-up error that names it", async () => {
  await using first = await startServer();
  await using second = await startServer();
  await assert.rejects(
    second.server.listen("127.0.0.1", first.port),
    (error) =>
      ApiError.isInstance(error) &&
      error.code === "port_in_use" &&
      error.message.includes(String(first.port)),
  );
});

test("closing lets running requests end, turns new ones away, and cuts what takes too long", async () => {
  const pipeline = new FakePipeline();
  const release = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  pipeline.between = () => {
    begun.resolve();
    return release.promise;
  };
  const server = await startServer({}, pipeline);
  const socket = await server.connect();
  socket.send({ type: "response.create", ...body });
  await begun.promise;
  const closing = server.server.close(10_000);
  socket.send({ type: "response.create", ...body });
  const refused = (await socket.until("error")).at(-1);
  assert.equal(refused?.status, 503);
  release.resolve();
  await socket.until("response.completed");
  assert.equal(await socket.closed(), 1012);
  await closing;
  await assert.rejects(server.post("/v1/responses", body));

  const stuck = await startServer(
    {},
    Object.assign(new FakePipeline(), { between: () => new Promise(() => undefined) }),
  );
  const hanging = stuck.post("/v1/responses", { ...body, stream: true }).then((response) => response.text());
  const failed = assert.rejects(hanging);
  while (stuck.pipeline.incoming.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
  await stuck.server.close(20);
  await failed;
});
