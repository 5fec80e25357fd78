import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { WebSocket } from "ws";
import { scratchFolder } from "../support/scratch-folder.ts";
import { serve, simulatedModelId } from "../support/serve.ts";

/** Runs per transport: 2,000 malformed requests in all. */
const httpRuns = 1_200;
const frameRuns = 800;
const answerMs = 10_000;

const strings = fc.oneof(
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.constantFrom("", "user", "<|im_start|>", "\ud800", "\u0000", "a".repeat(5000), "resp_1", "call_1"),
);
const anything = fc.anything({
  maxDepth: 4,
  withNullPrototype: false,
  values: [strings, fc.integer(), fc.double(), fc.boolean(), fc.constant(null)],
});
const types = fc.constantFrom(
  "message",
  "function_call",
  "function_call_output",
  "custom_tool_call",
  "custom_tool_call_output",
  "reasoning",
  "compaction",
  "additional_tools",
  "item_reference",
  "tool_search_call",
  "response.create",
  "",
);
const item = fc.record(
  {
    type: fc.oneof(types, anything),
    role: fc.oneof(fc.constantFrom("user", "assistant", "developer"), anything),
    content: anything,
    call_id: anything,
    name: anything,
    arguments: anything,
    output: anything,
    id: anything,
  },
  { requiredKeys: [] },
);
const tool = fc.record(
  {
    type: fc.oneof(fc.constantFrom("function", "custom", "namespace", "web_search"), anything),
    name: anything,
    parameters: anything,
    tools: anything,
  },
  { requiredKeys: [] },
);
/** A create request with at least one member of the wrong shape, near enough to a right one to get far. */
const request = fc.record(
  {
    model: fc.oneof(
      { weight: 6, arbitrary: fc.constant(simulatedModelId) },
      { weight: 1, arbitrary: anything },
    ),
    input: fc.oneof(fc.array(item, { maxLength: 4 }), anything),
    tools: fc.oneof(fc.array(tool, { maxLength: 3 }), anything),
    tool_choice: anything,
    previous_response_id: anything,
    text: anything,
    temperature: anything,
    max_output_tokens: fc.oneof(fc.constant(4), anything),
    metadata: anything,
    store: anything,
    stream: anything,
    stream_id: anything,
    generate: anything,
  },
  { requiredKeys: ["model", "input"] },
);

/** A request that is right in every member. */
const wellFormed = {
  model: simulatedModelId,
  instructions: "Be brief.",
  input: [
    { type: "message", role: "user", content: [{ type: "input_text", text: "hello" }] },
    { type: "function_call", call_id: "call_1", name: "shell", arguments: '{"cmd":"ls"}' },
    { type: "function_call_output", call_id: "call_1", output: "a.txt" },
    { type: "custom_tool_call", call_id: "call_2", name: "patch", input: "x" },
    { type: "custom_tool_call_output", call_id: "call_2", output: [{ type: "input_text", text: "ok" }] },
    { type: "reasoning", summary: [{ type: "summary_text", text: "hm" }] },
    { type: "compaction", encrypted_content: "abc" },
    { role: "user", content: "go on" },
  ],
  tools: [
    {
      type: "function",
      name: "shell",
      parameters: { type: "object", properties: { cmd: { type: "string" } } },
    },
    { type: "custom", name: "patch", format: { type: "text" } },
    { type: "namespace", name: "mcp", tools: [{ type: "function", name: "one", parameters: {} }] },
  ],
  tool_choice: { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "shell" }] },
  text: { format: { type: "json_schema", name: "n", schema: { type: "object" } } },
  metadata: { a: "b" },
  max_output_tokens: 3,
  store: false,
};

/** Puts `value` in place of the `at`-th value of a JSON tree, counted from the root's members. */
function spoil(tree: unknown, at: number, value: unknown): unknown {
  let left = at;
  const walk = (node: unknown): unknown => {
    if (left-- === 0) return value;
    if (Array.isArray(node)) return node.map(walk);
    if (typeof node !== "object" || node === null) return node;
    return Object.fromEntries(Object.entries(node).map(([key, entry]) => [key, walk(entry)]));
  };
  return walk(tree);
}

const spoiled = fc
  .tuple(fc.integer({ min: 1, max: 95 }), anything)
  .map(([at, value]) => spoil(wellFormed, at, value));

function jsonOf(value: unknown): string {
  return (
    JSON.stringify(value, (_key, entry) => (typeof entry === "bigint" ? String(entry) : entry)) ?? "null"
  );
}

/** Bodies: malformed requests as JSON, cut or spoiled JSON, and other text. */
const bodies = fc.oneof(
  { weight: 4, arbitrary: spoiled.map(jsonOf) },
  { weight: 4, arbitrary: request.map(jsonOf) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(request.map(jsonOf), fc.nat())
      .map(([text, at]) => text.slice(0, at % (text.length + 1))),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(request.map(jsonOf), fc.nat(), strings)
      .map(
        ([text, at, put]) => text.slice(0, at % (text.length + 1)) + put + text.slice(at % (text.length + 1)),
      ),
  },
  { weight: 1, arbitrary: strings },
);

interface ErrorBody {
  readonly error?: {
    readonly code?: unknown;
    readonly message?: unknown;
    readonly type?: unknown;
    readonly param?: unknown;
  };
}

function assertCoded(body: ErrorBody, input: string): void {
  const { code, message, type } = body.error ?? {};
  assert.ok(typeof code === "string" && code !== "", `an error without code for ${input.slice(0, 300)}`);
  assert.ok(typeof message === "string" && message !== "");
  assert.ok(typeof type === "string");
  assert.notEqual(code, "server_error", `an unforeseen failure for ${input.slice(0, 600)}`);
  assert.ok(body.error !== undefined && "param" in body.error);
}

describe("malformed requests", () => {
  const folder = scratchFolder();
  let server: Awaited<ReturnType<typeof serve>>;
  before(async () => {
    server = await serve({ engine: "simulated", folder: folder.path });
  });
  after(async () => {
    await server.close();
    folder[Symbol.dispose]();
  });

  it("over HTTP each get an answer: a coded error, or a response where it was well-formed after all", async () => {
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const response = await fetch(`${server.root}/v1/responses`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body,
          signal: AbortSignal.timeout(answerMs),
        });
        const text = await response.text();
        if (response.status >= 400) assertCoded(JSON.parse(text) as ErrorBody, body);
        else assert.equal(response.status, 200);
      }),
      { numRuns: httpRuns },
    );
    assert.equal((await fetch(`${server.root}/readyz`)).status, 200);
  });

  it("over WebSocket each get an answer, and the connection lives", async () => {
    const socket = new WebSocket(`${server.root.replace("http", "ws")}/v1/responses`);
    const waiting: ((event: Record<string, unknown>) => void)[] = [];
    socket.on("message", (data) => {
      const event = JSON.parse(String(data)) as Record<string, unknown>;
      const terminal = /^response\.(completed|incomplete|failed|steer\.failed|inject\.failed)$/.test(
        String(event["type"]),
      );
      if (event["type"] === "error" || terminal) waiting.shift()?.(event);
    });
    await new Promise((resolve) => socket.once("open", resolve));
    const ask = (text: string) =>
      new Promise<Record<string, unknown>>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`no answer to ${text.slice(0, 600)}`)), answerMs);
        waiting.push((event) => {
          clearTimeout(timer);
          resolve(event);
        });
        socket.send(text);
      });
    const frames = fc.oneof(
      {
        weight: 5,
        arbitrary: spoiled.map((body) => jsonOf({ type: "response.create", ...(body as object) })),
      },
      {
        weight: 5,
        arbitrary: request.map((body) => jsonOf({ type: "response.create", ...body, stream_id: undefined })),
      },
      { weight: 1, arbitrary: request.map((body) => jsonOf({ type: "response.create", ...body })) },
      { weight: 2, arbitrary: bodies },
      { weight: 1, arbitrary: fc.record({ type: types }).map(jsonOf) },
    );
    await fc.assert(
      fc.asyncProperty(frames, async (frame) => {
        const event = await ask(frame);
        if (event["type"] === "error") assertCoded(event as ErrorBody, frame);
      }),
      { numRuns: frameRuns },
    );
    const answer = await ask(
      jsonOf({ type: "response.create", model: simulatedModelId, input: "hello", max_output_tokens: 4 }),
    );
    assert.equal(answer["type"], "response.incomplete");
    socket.close();
  });
});
