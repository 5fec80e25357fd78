import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import OpenAI from "openai";
import { type ChildServer, model, startChildServer } from "../../conformance/support/child-server.ts";

const callOf = (city: string) => ({
  type: "function_call",
  name: "get_weather",
  arguments: JSON.stringify({ city }),
});
const answer = {
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text: "Mild in Paris, warm in Rome." }],
};
const weather: OpenAI.Responses.FunctionTool = {
  type: "function",
  name: "get_weather",
  description: "Weather of a city",
  strict: true,
  parameters: {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false,
  },
};
const question = { role: "user" as const, content: "Compare the weather of Paris and Rome." };

let server: ChildServer;
let client: OpenAI;
before(async () => {
  server = await startChildServer([{ output: [callOf("Paris"), callOf("Rome")] }, { output: [answer] }]);
  client = new OpenAI({ baseURL: server.baseUrl, apiKey: "unused", maxRetries: 0, timeout: 30_000 });
});
after(() => server[Symbol.asyncDispose]());

function callsOf(response: OpenAI.Responses.Response): OpenAI.Responses.ResponseFunctionToolCall[] {
  return response.output.filter((item) => item.type === "function_call");
}

function outputsFor(
  response: OpenAI.Responses.Response,
): OpenAI.Responses.ResponseInputItem.FunctionCallOutput[] {
  return callsOf(response).map((call) => ({
    type: "function_call_output",
    call_id: call.call_id,
    output: `mild in ${(JSON.parse(call.arguments) as { city: string }).city}`,
  }));
}

test("calls are answered in a chained request", async () => {
  const first = await client.responses.create({ model, input: [question], tools: [weather] });
  assert.deepEqual(
    callsOf(first).map(({ name, arguments: text }) => [name, JSON.parse(text)]),
    [
      ["get_weather", { city: "Paris" }],
      ["get_weather", { city: "Rome" }],
    ],
  );
  assert.notEqual(callsOf(first)[0]?.call_id, callsOf(first)[1]?.call_id);
  const second = await client.responses.create({
    model,
    tools: [weather],
    previous_response_id: first.id,
    input: outputsFor(first),
  });
  assert.equal(second.output_text, answer.content[0]?.text);
});

test("calls are answered by sending the whole history again, from the same prefix", async () => {
  const request = { model, tools: [weather], store: false };
  const first = await client.responses.create({ ...request, input: [question] });
  const second = await client.responses.create({
    ...request,
    input: [question, ...(first.output as OpenAI.Responses.ResponseInput), ...outputsFor(first)],
  });
  assert.equal(second.output_text, answer.content[0]?.text);
  assert.ok(second.usage!.input_tokens_details.cached_tokens >= first.usage!.input_tokens);
});

test("streamed arguments add up to those of the finished call", async () => {
  const stream = client.responses.stream({ model, input: [question], tools: [weather] });
  const streamed = new Map<number, string>();
  const done = new Map<number, string>();
  for await (const event of stream) {
    if (event.type === "response.function_call_arguments.delta") {
      streamed.set(event.output_index, (streamed.get(event.output_index) ?? "") + event.delta);
    }
    if (event.type === "response.function_call_arguments.done") done.set(event.output_index, event.arguments);
  }
  const final = await stream.finalResponse();
  const finished = new Map(
    final.output.map((item, index) => [index, item.type === "function_call" ? item.arguments : ""]),
  );
  assert.deepEqual(streamed, finished);
  assert.deepEqual(done, finished);
});

test("an output without its call is refused", async () => {
  const first = await client.responses.create({ model, input: [question], tools: [weather] });
  await assert.rejects(
    client.responses.create({
      model,
      tools: [weather],
      previous_response_id: first.id,
      input: [{ type: "function_call_output", call_id: "call_unknown", output: "x" }],
    }),
    { status: 400, code: "invalid_value", param: "input" },
  );
});
