import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "../../store/store.ts";
import { fakeResponse } from "../testing/fake-respond.ts";
import { startServer } from "../testing/test-server.ts";

const body = { model: "test-model", input: "hi" };

async function codeOf(response: Response): Promise<string> {
  const { error } = (await response.json()) as { error: { code: string } };
  return error.code;
}

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
  for (const path of ["/v1/responses/%zz", "/%", `/v1/responses/${"x".repeat(600)}`]) {
    const response = await fetch(server.base + path);
    assert.deepEqual([response.status, await codeOf(response)], [404, "not_found"], path);
  }
  assert.equal((await fetch(`${server.base}/healthz`, { method: "HEAD" })).status, 200);
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
