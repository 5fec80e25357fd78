import assert from "node:assert/strict";
import { test } from "node:test";
import { wireErrorCodes } from "@slipstream-stack/protocol";
import fc from "fast-check";
import { startServer } from "./testing/test-server.ts";

const valid = {
  type: "response.create",
  model: "test-model",
  input: [
    { type: "message", role: "user", content: [{ type: "input_text", text: "hi" }] },
    { type: "function_call", call_id: "c1", name: "f", arguments: "{}" },
    { type: "function_call_output", call_id: "c1", output: "x" },
  ],
  tools: [{ type: "function", name: "f", parameters: { type: "object" } }],
  tool_choice: "auto",
  text: { format: { type: "text" } },
  reasoning: { effort: "low" },
  metadata: { a: "b" },
  stream_id: "a",
};

/** Paths to every value inside `value`. */
function paths(value: unknown, prefix: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== "object" || value === null) return [prefix];
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value);
  return [prefix, ...entries.flatMap(([key, inner]) => paths(inner, [...prefix, key]))];
}

function replaced(value: unknown, path: readonly (string | number)[], by: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return by;
  if (Array.isArray(value))
    return value.map((inner, index) => (index === key ? replaced(inner, rest, by) : inner));
  const object = value as Record<string, unknown>;
  return { ...object, [key]: replaced(object[key], rest, by) };
}

/** A valid request with one value replaced by any other, or its text with a stretch cut out or noise put in. */
const malformed = fc.oneof(
  fc
    .tuple(fc.constantFrom(...paths(valid)), fc.jsonValue({ maxDepth: 2 }))
    .map(([path, by]) => JSON.stringify(replaced(valid, path, by))),
  fc
    .tuple(fc.nat(), fc.nat({ max: 20 }), fc.string({ unit: "binary", maxLength: 5 }))
    .map(([at, length, noise]) => {
      const text = JSON.stringify(valid);
      const start = at % text.length;
      return text.slice(0, start) + noise + text.slice(start + length);
    }),
  fc.string({ maxLength: 50 }),
);

/** Codes of refusals that are no wire errors but events of their own. */
const eventCodes = ["steering_not_supported", "response_not_found"];

test("a thousand malformed HTTP bodies: each is served or gets a coded error", async () => {
  await using server = await startServer();
  await fc.assert(
    fc.asyncProperty(malformed, async (text) => {
      const response = await server.post("/v1/responses", text);
      const answer = await response.text();
      if (response.status === 200) return;
      assert.ok(response.status >= 400 && response.status < 500, `${response.status} for ${text}`);
      const { error } = JSON.parse(answer) as { error: { code: string; message: string } };
      assert.ok(Object.hasOwn(wireErrorCodes, error.code), error.code);
      assert.ok(error.message.length < 500);
    }),
    { numRuns: 1000 },
  );
  assert.equal((await fetch(`${server.base}/healthz`)).status, 200);
});

test("a thousand malformed messages on one socket: each is answered, and the socket lives", async () => {
  await using server = await startServer();
  await using socket = await server.connect();
  await fc.assert(
    fc.asyncProperty(malformed, async (text) => {
      socket.send(text);
      const events = await socket.until(
        "response.completed",
        "error",
        "response.steer.failed",
        "response.inject.failed",
      );
      const last = events.at(-1)!;
      if (last.type === "response.completed") return;
      const { code } = last.error as { code: string };
      assert.ok(Object.hasOwn(wireErrorCodes, code) || eventCodes.includes(code), code);
      assert.notEqual(code, "server_error", text);
    }),
    { numRuns: 1000 },
  );
  assert.equal(socket.closeCode, null);
});
