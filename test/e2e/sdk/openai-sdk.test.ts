import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import OpenAI, { APIError } from "openai";
import { type ChildServer, model, startChildServer } from "../../conformance/support/child-server.ts";

let server: ChildServer;
let client: OpenAI;
before(async () => {
  server = await startChildServer();
  client = new OpenAI({ baseURL: server.baseUrl, apiKey: "unused", maxRetries: 0, timeout: 30_000 });
});
after(() => server[Symbol.asyncDispose]());

test("create answers with text, usage and a request id", async () => {
  const response = await client.responses.create({ model, input: "Say hello." });
  assert.equal(response.status, "completed");
  assert.ok(response.output_text.length > 0);
  assert.equal(response.usage?.total_tokens, response.usage!.input_tokens + response.usage!.output_tokens);
  assert.match(response._request_id ?? "", /^req_/);
});

test("a stream's deltas add up to its text, numbered without gaps", async () => {
  const stream = await client.responses.create({ model, input: "Say hello.", stream: true });
  let text = "";
  const numbers: number[] = [];
  let final: OpenAI.Responses.Response | undefined;
  for await (const event of stream) {
    numbers.push(event.sequence_number);
    if (event.type === "response.output_text.delta") text += event.delta;
    if (event.type === "response.completed") final = event.response;
  }
  assert.deepEqual(numbers, [...numbers.keys()]);
  const message = final?.output[0];
  assert.ok(message?.type === "message");
  assert.deepEqual(
    message.content.map((part) => (part.type === "output_text" ? part.text : part.refusal)),
    [text],
  );
});

test("stream().finalResponse() gives the response the events told of", async () => {
  const deltas: string[] = [];
  const stream = client.responses.stream({ model, input: "Count to five." });
  stream.on("response.output_text.delta", (event) => deltas.push(event.delta));
  const final = await stream.finalResponse();
  assert.equal(final.status, "completed");
  assert.equal(final.output_text, deltas.join(""));
  assert.ok(deltas.length > 1);
});

test("structured output arrives parsed", async () => {
  const schema = {
    type: "object",
    properties: { city: { type: "string" }, population: { type: "integer", minimum: 1 } },
    required: ["city", "population"],
    additionalProperties: false,
  };
  const response = await client.responses.parse({
    model,
    input: "Describe a city.",
    text: { format: { type: "json_schema", name: "city", schema, strict: true } },
  });
  const value = JSON.parse(response.output_text) as Record<string, unknown>;
  assert.deepEqual(Object.keys(value).sort(), ["city", "population"]);
  assert.ok(Number.isInteger(value["population"]));
});

test("a conversation chained by id counts what came before, and reuses it", async () => {
  const first = await client.responses.create({ model, input: "My name is Alice." });
  const second = await client.responses.create({
    model,
    input: "What is my name?",
    previous_response_id: first.id,
  });
  assert.equal(second.previous_response_id, first.id);
  const before = first.usage!.total_tokens;
  assert.ok(second.usage!.input_tokens > before);
  assert.ok(second.usage!.input_tokens_details.cached_tokens >= first.usage!.input_tokens);
});

test("stored responses are retrieved, listed and deleted", async () => {
  const made = await client.responses.create({
    model,
    input: [
      { role: "developer", content: "Be brief." },
      { role: "user", content: "Hello." },
    ],
    metadata: { purpose: "test" },
  });
  const { _request_id: _, ...sent } = made;
  const { _request_id: __, ...kept } = await client.responses.retrieve(made.id);
  assert.deepEqual(kept, sent);
  const items = await client.responses.inputItems.list(made.id, { order: "asc" });
  assert.deepEqual(
    items.data.map((item) => (item.type === "message" ? item.role : item.type)),
    ["developer", "user"],
  );
  await client.responses.delete(made.id);
  await assert.rejects(client.responses.retrieve(made.id), { status: 404, code: "not_found" });
  await assert.rejects(client.responses.delete(made.id), { status: 404, code: "not_found" });
});

test("input items come in pages", async () => {
  const input = ["one", "two", "three"].map((content) => ({ role: "user" as const, content }));
  const { id } = await client.responses.create({ model, input });
  const seen: string[] = [];
  let pages = 0;
  for await (const page of (
    await client.responses.inputItems.list(id, { order: "asc", limit: 2 })
  ).iterPages()) {
    pages += 1;
    for (const item of page.data) {
      if (item.type !== "message") continue;
      seen.push(...item.content.map((part) => ("text" in part ? part.text : "")));
    }
  }
  assert.equal(pages, 2);
  assert.deepEqual(seen, ["one", "two", "three"]);
});

test("input tokens are counted as the same request is billed", async () => {
  const request = { model, instructions: "Be brief.", input: "How many tokens is this?" };
  const counted = await client.responses.inputTokens.count(request);
  const answered = await client.responses.create(request);
  assert.equal(counted.object, "response.input_tokens");
  assert.equal(counted.input_tokens, answered.usage?.input_tokens);
});

test("a compacted window is smaller in items and starts a new chain", async () => {
  const input: OpenAI.Responses.ResponseInput = [];
  for (let turn = 0; turn < 6; turn++) {
    input.push(
      { role: "user", content: `Question ${turn}` },
      { role: "assistant", content: `Answer ${turn}` },
    );
  }
  const compacted = await client.responses.compact({ model, input });
  assert.equal(compacted.object, "response.compaction");
  assert.ok(compacted.output.length < input.length);
  assert.equal(compacted.output.filter((item) => item.type === "compaction").length, 1);
  assert.ok(compacted.usage.output_tokens > 0);
  const next = await client.responses.create({
    model,
    input: [...(compacted.output as OpenAI.Responses.ResponseInput), { role: "user", content: "Go on." }],
  });
  assert.equal(next.status, "completed");
});

test("models are listed and retrieved", async () => {
  const listed: string[] = [];
  for await (const entry of client.models.list()) listed.push(entry.id);
  assert.deepEqual(listed, [model]);
  assert.equal((await client.models.retrieve(model)).object, "model");
});

const failures: [string, () => Promise<unknown>, { status: number; code: string; param: string | null }][] = [
  [
    "an unknown model",
    () => client.responses.create({ model: "no-such-model", input: "hi" }),
    { status: 404, code: "model_not_found", param: "model" },
  ],
  [
    "an unknown previous response",
    () => client.responses.create({ model, input: "hi", previous_response_id: "resp_unknown" }),
    { status: 400, code: "previous_response_not_found", param: "previous_response_id" },
  ],
  [
    "a stream with an unknown previous response",
    () => client.responses.create({ model, input: "hi", previous_response_id: "resp_unknown", stream: true }),
    { status: 400, code: "previous_response_not_found", param: "previous_response_id" },
  ],
  [
    "a temperature out of range",
    () => client.responses.create({ model, input: "hi", temperature: 9 }),
    { status: 400, code: "invalid_value", param: "temperature" },
  ],
];
for (const [name, request, expected] of failures) {
  test(`${name} is an APIError with status, code and param`, async () => {
    await assert.rejects(request, (error) => {
      assert.ok(error instanceof APIError);
      assert.deepEqual({ status: error.status, code: error.code, param: error.param }, expected);
      return true;
    });
  });
}

test("a stream that is left ends the request, and the server goes on", async () => {
  const stream = await client.responses.create({ model, input: "Write a story.", stream: true });
  for await (const event of stream) if (event.type === "response.output_text.delta") break;
  const next = await client.responses.create({ model, input: "Still there?" });
  assert.equal(next.status, "completed");
});
