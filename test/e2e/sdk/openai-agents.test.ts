import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Agent, OpenAIProvider, Runner, tool } from "@openai/agents";
import { type ChildServer, model, startChildServer } from "../../conformance/support/child-server.ts";

const call = (name: string, city: string) => ({
  type: "function_call",
  name,
  arguments: JSON.stringify({ city }),
});
const finalText = "Paris is mild and has 2 million people.";
const trajectory = [
  { output: [call("get_weather", "Paris"), call("get_population", "Paris")] },
  {
    output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: finalText }] }],
  },
];

let server: ChildServer;
before(async () => {
  server = await startChildServer(trajectory);
});
after(() => server[Symbol.asyncDispose]());

const parameters = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
} as const;

/** An agent with two tools, and which of them were called with what. */
function agentWithTools() {
  const calls: string[] = [];
  const city = (input: unknown) => (input as { city: string }).city;
  const tools = [
    tool({
      name: "get_weather",
      description: "Weather of a city",
      parameters: { ...parameters, required: ["city"] },
      strict: true,
      execute: async (input: unknown) => {
        calls.push(`weather ${city(input)}`);
        return "mild";
      },
    }),
    tool({
      name: "get_population",
      description: "People of a city",
      parameters: { ...parameters, required: ["city"] },
      strict: true,
      execute: async (input: unknown) => {
        calls.push(`population ${city(input)}`);
        return "2 million";
      },
    }),
  ];
  const agent = new Agent({ name: "Guide", instructions: "Use the tools.", model, tools });
  return { agent, calls };
}

const transports = [
  { name: "HTTP", stream: false, useResponsesWebSocket: false },
  { name: "streamed HTTP", stream: true, useResponsesWebSocket: false },
  { name: "WebSocket", stream: false, useResponsesWebSocket: true },
  { name: "streamed WebSocket", stream: true, useResponsesWebSocket: true },
];

for (const { name, stream, useResponsesWebSocket } of transports) {
  test(`an agent runs both its tools and answers over ${name}`, async () => {
    const modelProvider = new OpenAIProvider({
      apiKey: "unused",
      baseURL: server.baseUrl,
      useResponses: true,
      useResponsesWebSocket,
    });
    try {
      const runner = new Runner({ modelProvider, tracingDisabled: true });
      const { agent, calls } = agentWithTools();
      const question = "Tell me about Paris.";
      if (!stream) {
        const result = await runner.run(agent, question);
        assert.equal(result.finalOutput, finalText);
      } else {
        const result = await runner.run(agent, question, { stream: true });
        let text = "";
        for await (const event of result) {
          if (event.type === "raw_model_stream_event" && event.data.type === "output_text_delta") {
            text += event.data.delta;
          }
        }
        await result.completed;
        assert.equal(result.finalOutput, finalText);
        assert.equal(text, finalText);
      }
      assert.deepEqual(calls.sort(), ["population Paris", "weather Paris"]);
    } finally {
      await modelProvider.close();
    }
  });
}
