import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { withCode } from "../testing/expect-code.ts";
import { errorMessage, fetchJson } from "./fetch-json.ts";

async function serve(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/x`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const never = new AbortController().signal;
const ask = (url: string, options: { apiKey?: string; timeoutMs?: number; signal?: AbortSignal } = {}) =>
  fetchJson({
    url,
    apiKey: options.apiKey,
    timeoutMs: options.timeoutMs ?? 10_000,
    signal: options.signal ?? never,
  });

test("status and body come back, JSON or not, and the key is sent only where there is one", async () => {
  const keys: (string | undefined)[] = [];
  await using server = await serve((request, response) => {
    keys.push(request.headers.authorization);
    response.writeHead(keys.length === 1 ? 200 : 502).end(keys.length === 1 ? '{"a":1}' : "<html>");
  });
  assert.deepEqual(await ask(server.url), { status: 200, body: { a: 1 } });
  assert.deepEqual(await ask(server.url, { apiKey: "k" }), { status: 502, body: null });
  assert.deepEqual(keys, [undefined, "Bearer k"]);
});

test("a server that is not there, or never answers, is unreachable; an interrupt is an interrupt", async () => {
  await assert.rejects(ask("http://127.0.0.1:1/x"), withCode("server_unreachable"));
  await using server = await serve(() => {});
  await assert.rejects(ask(server.url, { timeoutMs: 50 }), withCode("server_unreachable"));
  await assert.rejects(ask(server.url, { signal: AbortSignal.abort() }), { name: "AbortError" });
});

test("the message of an error body, or that there is none", () => {
  assert.equal(errorMessage({ error: { message: "because" } }), "because");
  for (const body of [null, {}, { error: null }, { error: { message: 5 } }, "text"]) {
    assert.equal(errorMessage(body), "no reason given");
  }
});
