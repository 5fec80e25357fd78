import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { startServer } from "../testing/test-server.ts";

const body = { model: "test-model", input: "hi" };

async function codeOf(response: Response): Promise<string> {
  const { error } = (await response.json()) as { error: { code: string } };
  return error.code;
}

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
