import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Item, toolSchema } from "@slipstream-stack/protocol";
import { type Pipeline, pipeline } from "./testing/pipeline.ts";

const user = (content: string): Item => ({ type: "message", role: "user", content });
const tools = [toolSchema.parse({ type: "function", name: "shell", parameters: { type: "object" } })];

describe("what a request uses", () => {
  let server: Pipeline;
  before(async () => {
    server = await pipeline();
  });
  after(() => server.close());

  it("A1.3: cached and written tokens are parts of the input, and what the engine evaluated is the rest", async () => {
    let previous: string | null = null;
    for (const text of ["one", "two", "three"]) {
      const { response, lap } = await server.create({
        input: [user(text)],
        tools,
        previous_response_id: previous,
      });
      const { input_tokens, input_tokens_details, output_tokens } = response.usage ?? assert.fail();
      const { cached_tokens, cache_write_tokens } = input_tokens_details;
      assert.ok(cached_tokens + cache_write_tokens <= input_tokens);
      assert.equal(input_tokens, server.prompts.at(-1)?.length);
      assert.equal(lap?.tokens.evaluated, input_tokens - cached_tokens + output_tokens);
      previous = response.id;
    }
  });

  it("A2.1: a warm request tokenizes nothing that was tokenized before", async () => {
    await server.create({ input: [user("a first conversation")], tools, instructions: "The same head." });
    const before = server.model.tokenizer.encodedTokens;
    const { lap } = await server.create({
      input: [user("another one")],
      tools,
      instructions: "The same head.",
    });
    const encoded = server.model.tokenizer.encodedTokens - before;
    assert.equal(encoded, lap?.work.tokenized_tokens);
    assert.ok(encoded < 20);
  });

  it("A7.1: a response with store:false reaches no store", async () => {
    const { response } = await server.create({ input: [user("forget me")], store: false });
    assert.equal(await server.dependencies.store.response("default", response.id), null);
    assert.equal(await server.dependencies.store.lap("default", response.id), null);
    const kept = await server.create({ input: [user("keep me")] });
    assert.notEqual(await server.dependencies.store.response("default", kept.response.id), null);
  });

  it("I6.1: the order of items survives streaming, storage and replay", async () => {
    const { response, events } = await server.create({
      input: [user("call")],
      tools,
      tool_choice: "required",
    });
    const streamed = events.flatMap((event) =>
      event.type === "response.output_item.done" ? [event.item] : [],
    );
    assert.deepEqual(streamed, response.output);
    const stored = await server.dependencies.store.response("default", response.id);
    assert.deepEqual(stored?.items.slice(stored.inputCount), response.output);
    const replayed = await server.create({ input: [user("call"), ...response.output, user("go on")], tools });
    assert.equal(replayed.lap?.items.reused, 1 + response.output.length);
  });
});
