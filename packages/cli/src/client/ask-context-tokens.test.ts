import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { askContextTokens } from "./ask-context-tokens.ts";

const signal = new AbortController().signal;

async function askOne(answer: unknown, model = "mine"): Promise<number | null> {
  const server = createServer((_, reply) => reply.end(JSON.stringify(answer)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  try {
    return await askContextTokens({
      baseUrl: `http://127.0.0.1:${port}/v1`,
      model,
      apiKey: undefined,
      signal,
    });
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

test("a server that says what its model holds is believed", async () => {
  const data = [null, { id: "other", context_length: 1 }, { id: "mine", context_length: 8192 }];
  assert.equal(await askOne({ data }), 8192);
  assert.equal(await askOne({ data }, "unknown"), null);
});

test("anything else is unknown", async () => {
  for (const answer of [
    null,
    [],
    {},
    { data: {} },
    { data: [{ id: "mine" }] },
    { data: [{ id: "mine", context_length: "8k" }] },
  ]) {
    assert.equal(await askOne(answer), null);
  }
  const nobody = { baseUrl: "http://127.0.0.1:1/v1", model: "mine", apiKey: undefined, signal };
  assert.equal(await askContextTokens(nobody), null);
});

test("an interrupt is an interrupt", async () => {
  const asked = askContextTokens({
    baseUrl: "http://127.0.0.1:1/v1",
    model: "mine",
    apiKey: undefined,
    signal: AbortSignal.abort(),
  });
  await assert.rejects(asked, { name: "AbortError" });
});
