import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { EventBody, Item } from "@slipstream-stack/protocol";
import { toolSchema, WireError } from "@slipstream-stack/protocol";
import { createMemoryStore } from "../store/memory-store.ts";
import { parseTrajectory } from "../teacher-forcing/trajectory.ts";
import { allTechniques, codeOf, type Pipeline, pipeline } from "./testing/pipeline.ts";

const user = (content: string): Item => ({ type: "message", role: "user", content });
const tool = (name: string) =>
  toolSchema.parse({
    type: "function",
    name,
    parameters: { type: "object", properties: { x: { type: "integer" } }, required: ["x"] },
  });

function typesOf(events: readonly EventBody[]): string[] {
  return events.map((event) => event.type);
}

describe("an answer", () => {
  let server: Pipeline;
  before(async () => {
    server = await pipeline();
  });
  after(() => server.close());

  it("streams in canonical order and ends with exactly one terminal event", async () => {
    const { events, response } = await server.create({ input: [user("hello")] });
    const types = typesOf(events);
    assert.deepEqual(types.slice(0, 4), [
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
    ]);
    assert.deepEqual(types.slice(-4), [
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ]);
    assert.equal(response.status, "completed");
  });

  it("calls what tool_choice demands: any tool, a named one, an allowed one, none", async () => {
    const tools = [tool("first"), tool("second")];
    const called = async (tool_choice: unknown) => {
      const { response } = await server.create({ input: [user("go")], tools, tool_choice } as never);
      return response.output.flatMap((item) => (item.type === "function_call" ? [item["name"]] : []));
    };
    assert.ok((await called("required")).length >= 1);
    assert.deepEqual(new Set(await called({ type: "function", name: "second" })), new Set(["second"]));
    const allowed = { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "first" }] };
    assert.deepEqual(new Set(await called(allowed)), new Set(["first"]));
    assert.deepEqual(await called("none"), []);
  });

  it("narrows tools without touching the prompt before the answer", async () => {
    const tools = [tool("first"), tool("second")];
    await server.create({ input: [user("same")], tools });
    const free = server.prompts.at(-1);
    await server.create({ input: [user("same")], tools, tool_choice: "none" });
    assert.deepEqual(server.prompts.at(-1), free);
  });

  it("refuses a tool_choice that names no tool", async () => {
    const choice = { type: "function", name: "absent" } as const;
    assert.equal(await codeOf(server.create({ input: [user("a")], tool_choice: choice })), "invalid_value");
    assert.equal(
      await codeOf(server.create({ input: [user("a")], tool_choice: "required" })),
      "invalid_value",
    );
  });

  it("holds a whole answer to a JSON schema", async () => {
    const schema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
    const format = { type: "json_schema", name: "person", schema } as const;
    const { response } = await server.create({ input: [user("who?")], text: { format } });
    const message = response.output.find((item) => item.type === "message") as {
      content: { text: string }[];
    };
    assert.equal(typeof JSON.parse(message.content[0]?.text ?? "").name, "string");
  });

  it("ends incomplete at max_output_tokens and can be continued", async () => {
    const { response } = await server.create({ input: [user("long")], max_output_tokens: 2 });
    assert.equal(response.status, "incomplete");
    assert.deepEqual(response.incomplete_details, { reason: "max_output_tokens" });
    assert.equal(response.usage?.output_tokens, 2);
    const next = await server.create({ input: [user("go on")], previous_response_id: response.id });
    assert.equal(next.response.status, "completed");
  });

  it("answers with an empty message where the model says nothing, and goes on from there", async () => {
    const silent = await pipeline({}, { script: () => new Uint32Array(0) });
    const { response } = await silent.create({ input: [user("hi")] });
    assert.deepEqual(
      response.output.map((item) => item.type),
      ["message"],
    );
    const next = await silent.create({ input: [user("still there?")], previous_response_id: response.id });
    assert.equal(next.lap?.cause, null);
    await silent.close();
  });

  it("says with the counts that a prompt is too long", async () => {
    const small = await pipeline({}, { contextTokens: 64 });
    assert.equal(
      await codeOf(small.create({ input: [user("word ".repeat(200))] })),
      "context_length_exceeded",
    );
    await small.close();
  });

  it("names an unknown model", async () => {
    assert.equal(await codeOf(server.create({ model: "other", input: [user("a")] })), "model_not_found");
  });
});

describe("a client that leaves", () => {
  it("cancels generation, and its prompt is still found by content", async () => {
    const server = await pipeline({}, { cost: { prefillMsPerToken: 0, decodeMsPerStep: 5, batchFactor: 0 } });
    const gone = new AbortController();
    const leaving = server.create({ input: [user("stay a while")] }, { signal: gone.signal });
    setTimeout(() => gone.abort(), 20);
    assert.equal((await leaving).response.status, "cancelled");
    const again = await server.create({ input: [user("stay a while"), user("back")], max_output_tokens: 1 });
    assert.equal(again.lap?.continuation, "lineage");
    assert.equal(again.lap?.items.reused, 1);
    assert.ok((again.lap?.tokens.cached ?? 0) > 0);
    await server.close();
  });
});

describe("a prewarm", () => {
  it("makes no output, can be chained with an empty delta, and is evaluated once", async () => {
    const server = await pipeline();
    const connection = "c";
    const warm = await server.create(
      { input: [user("head")], generate: false, store: false },
      { connection },
    );
    assert.deepEqual(warm.response.output, []);
    assert.deepEqual(typesOf(warm.events), ["response.created", "response.completed"]);
    const next = await server.create(
      { input: [], previous_response_id: warm.response.id, store: false },
      { connection },
    );
    assert.equal(next.lap?.tokens.cached, warm.response.usage?.input_tokens);
    await server.close();
  });

  it("completes early when prefilling takes long, and a full resend joins the prefill", async () => {
    const cost = { prefillMsPerToken: 1, decodeMsPerStep: 0, batchFactor: 0 };
    const server = await pipeline({ prewarmWaitMs: 5 }, { cost });
    const long = user("word ".repeat(100));
    const warm = await server.create({ input: [long], generate: false });
    assert.equal(warm.response.status, "completed");
    const resend = await server.create({ input: [long], max_output_tokens: 1 });
    const evaluated = server.model.engine.load().tokensPrefilled;
    assert.ok(evaluated <= (resend.response.usage?.input_tokens ?? 0) + 1);
    await server.close();
  });
});

describe("a prewarm whose engine dies", () => {
  it("ends as failed", async () => {
    const server = await pipeline({}, { cost: { prefillMsPerToken: 1, decodeMsPerStep: 0, batchFactor: 0 } });
    const warm = server.create({ input: [user("word ".repeat(100))], generate: false });
    setTimeout(() => server.model.engine.crash(), 20);
    assert.deepEqual(typesOf((await warm).events), ["response.created", "response.failed"]);
    await server.close();
  });
});

describe("settings by fingerprint", () => {
  it("inherits what is omitted, lets what is given win, and refuses another's fingerprint", async () => {
    const server = await pipeline();
    const first = await server.create({
      input: [user("a")],
      tools: [tool("first")],
      instructions: "Be brief.",
    });
    const inherit = first.response.slipstream_settings;
    const next = { input: [user("b")], previous_response_id: first.response.id };
    const same = await server.create(next, { inherit });
    assert.equal(same.response.instructions, "Be brief.");
    assert.equal(same.response.slipstream_settings, inherit);
    const other = await server.create({ ...next, temperature: 0 }, { inherit });
    assert.equal(other.response.temperature, 0);
    assert.equal(other.response.instructions, "Be brief.");
    assert.equal(await codeOf(server.create(next, { inherit: "0".repeat(32) })), "settings_mismatch");
    assert.equal(await codeOf(server.create({ input: [user("b")] }, { inherit })), "settings_mismatch");
    await server.close();
  });
});

describe("teacher forcing", () => {
  const call = (id: string) => ({ type: "function_call", name: "first", call_id: id, arguments: '{"x":1}' });
  const lines = parseTrajectory(
    [{ output: [call("c1")] }, { output: [{ type: "message", role: "assistant", content: "Done." }] }]
      .map((line) => JSON.stringify(line))
      .join("\n"),
  );

  for (const encoding of ["canonical", "split"] as const) {
    it(`writes the trajectory through the normal parser (${encoding}), and a resend keeps its ids`, async () => {
      const server = await pipeline({ trajectory: { lines, encoding } });
      const tools = [tool("first")];
      const first = await server.create({ input: [user("go")], tools });
      const { id: _id, status: _status, ...written } = first.response.output[0] as Record<string, unknown>;
      assert.deepEqual(written, call("c1"));
      const output = { type: "function_call_output", call_id: "c1", output: "1" } as Item;
      const chained = await server.create({
        input: [output],
        tools,
        previous_response_id: first.response.id,
      });
      const chainedPrompt = server.prompts.at(-1);
      assert.equal(chained.lap?.forced, true);
      const resent = await server.create({ input: [user("go"), call("c1") as Item, output], tools });
      assert.deepEqual(server.prompts.at(-1), chainedPrompt);
      assert.equal(resent.lap?.tokens.cached, (chainedPrompt?.length ?? 0) - 1);
      const history = [user("go"), call("c1") as Item, output, ...resent.response.output];
      assert.equal(
        await codeOf(server.create({ input: [...history, user("more")], tools })),
        "trajectory_exhausted",
      );
      assert.equal(
        await codeOf(server.create({ input: [call("zz") as Item], tools })),
        "trajectory_mismatch",
      );
      await server.close();
    });
  }
});

describe("the gate", () => {
  it("lets nothing of a refused answer leave, and nothing of it can be continued", async () => {
    const refusing = { admit: () => "hold" as const, settled: () => Promise.resolve("refuse" as const) };
    const server = await pipeline({ gate: () => refusing });
    const { response, events } = await server.create({ input: [user("a")] });
    assert.deepEqual(typesOf(events), ["response.created", "response.in_progress", "response.incomplete"]);
    assert.deepEqual(response.incomplete_details, { reason: "content_filter" });
    const chained = server.create({ input: [user("b")], previous_response_id: response.id });
    assert.equal(await codeOf(chained), "previous_response_not_found");
    await server.close();
  });
});

describe("a store that fails", () => {
  it("ends the stream as failed, and nothing of the answer can be continued", async () => {
    const memory = createMemoryStore();
    const store = {
      commit: () => Promise.reject(new WireError("storage_unavailable", "The disk is full.")),
      response: memory.response.bind(memory),
      chain: memory.chain.bind(memory),
      inputItems: memory.inputItems.bind(memory),
      lap: memory.lap.bind(memory),
      remove: memory.remove.bind(memory),
      sweep: memory.sweep.bind(memory),
      close: memory.close.bind(memory),
    };
    const server = await pipeline({ store });
    const { response, lap } = await server.create({ input: [user("keep me")] });
    assert.deepEqual([response.status, response.error?.code], ["failed", "storage_unavailable"]);
    assert.equal(lap?.status, "failed");
    const next = server.create({ input: [user("b")], previous_response_id: response.id });
    assert.equal(await codeOf(next), "previous_response_not_found");
    assert.equal(
      await codeOf(server.create({ input: [user("a")] }, { transport: "http" })),
      "storage_unavailable",
    );
    assert.equal((await server.create({ input: [user("a")], store: false })).response.status, "completed");
    await server.close();
  });
});

describe("an engine that dies", () => {
  it("ends the stream with a retryable failure, and is named in the lap after it", async () => {
    const cost = { prefillMsPerToken: 0, decodeMsPerStep: 5, batchFactor: 0 };
    const server = await pipeline({ techniques: allTechniques }, { cost });
    const running = server.create({ input: [user("stay")] });
    setTimeout(() => server.model.engine.crash(), 20);
    const { response, events } = await running;
    assert.equal(response.status, "failed");
    assert.equal(response.error?.code, "server_error");
    assert.equal(events.at(-1)?.type, "response.failed");
    assert.equal(
      (await server.create({ input: [user("stay")], max_output_tokens: 1 })).response.status,
      "incomplete",
    );
    await server.close();
  });
});
