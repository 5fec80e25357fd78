import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { JsonObject } from "@slipstream-stack/protocol";
import type { ChildServer } from "../../../packages/cli/src/serve/spawn-server.ts";
import { httpClient, socketClient } from "../../support/responses-client.ts";
import { type ScratchFolder, scratchFolder } from "../../support/scratch-folder.ts";
import { simulatedModelId as model, serve } from "../../support/serve.ts";

const contextTokens = 512;
let folder: ScratchFolder;
let server: ChildServer;

before(async () => {
  folder = scratchFolder();
  const size = ["--context-tokens", String(contextTokens)];
  server = await serve({ engine: "simulated", folder: folder.path, arguments: size });
});
after(async () => {
  await server.close();
  folder[Symbol.dispose]();
});

const user = (content: string, more: JsonObject = {}): JsonObject => ({
  type: "message",
  role: "user",
  content,
  ...more,
});
const call = (callId: string): JsonObject => ({
  type: "function_call",
  call_id: callId,
  name: "f",
  arguments: "{}",
});
const output = (callId: string): JsonObject => ({
  type: "function_call_output",
  call_id: callId,
  output: "x",
});

/** Name, request, status, code, what the message has to name. */
const requests: readonly (readonly [string, JsonObject, number, string, RegExp])[] = [
  ["an unknown model", { model: "nope", input: "hi" }, 404, "model_not_found", /nope.*simulated/],
  ["a model of a wrong type", { model: 5, input: "hi" }, 400, "invalid_value", /model/],
  ["an input of a wrong type", { model, input: 5 }, 400, "invalid_value", /input/],
  [
    "an item without its content",
    { model, input: [{ type: "message", role: "user" }] },
    400,
    "invalid_value",
    /input/,
  ],
  ["an output of an unknown call", { model, input: [output("call_x")] }, 400, "invalid_value", /call_x/],
  [
    "an item id twice",
    { model, input: [user("a", { id: "msg_1" }), user("b", { id: "msg_1" })] },
    400,
    "invalid_value",
    /msg_1/,
  ],
  [
    "a call id twice",
    { model, input: [call("call_1"), call("call_1"), output("call_1")] },
    400,
    "invalid_value",
    /call_1/,
  ],
  [
    "an unknown previous response",
    { model, input: "hi", previous_response_id: "resp_x" },
    400,
    "previous_response_not_found",
    /resp_x/,
  ],
  [
    "more than the context holds",
    { model, input: "word ".repeat(2000) },
    400,
    "context_length_exceeded",
    /\d{4} tokens.*\b512\b/,
  ],
  ["a field that is not built", { model, input: "hi", background: true }, 400, "invalid_value", /background/],
];

describe("requests that cannot be served", () => {
  for (const [name, body, status, code, message] of requests) {
    test(`${name}: ${code}, over HTTP and over a socket that goes on working`, async () => {
      const http = httpClient(server.root);
      await assert.rejects(http.create(body), { code, status, message });
      using socket = await socketClient(server.root);
      await assert.rejects(socket.create(body), { code, status, message });
      assert.equal((await socket.create({ model, input: "hi", max_output_tokens: 8 })).response.model, model);
    });
  }
});

/** Name, body, headers, status, code. */
const bodies: readonly (readonly [
  string,
  string | Buffer,
  Readonly<Record<string, string>>,
  number,
  string,
])[] = [
  ["half a JSON", '{"model":', {}, 400, "invalid_json"],
  ["no object", "[]", {}, 400, "invalid_json"],
  ["nothing", "", {}, 400, "invalid_json"],
  ["bytes that are no UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), {}, 400, "invalid_json"],
  ["another content type", "{}", { "content-type": "text/plain" }, 415, "unsupported_media_type"],
  ["what is not gzip", "{}", { "content-encoding": "gzip" }, 400, "invalid_json"],
  ["34 MB", JSON.stringify({ model, input: "x".repeat(34 * 1024 * 1024) }), {}, 413, "request_too_large"],
];

describe("bodies that are no requests", () => {
  for (const [name, body, headers, status, code] of bodies) {
    test(`${name}: ${status} ${code}`, async () => {
      const reply = await fetch(`${server.root}/v1/responses`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body,
      });
      const { error } = (await reply.json()) as { error: { code: string; message: string } };
      assert.deepEqual([reply.status, error.code], [status, code], error.message);
    });
  }
});
