import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Item, toolSchema } from "@slipstream-stack/protocol";
import { allTechniques, codeOf, type Pipeline, pipeline } from "./testing/pipeline.ts";

const user = (content: string): Item => ({ type: "message", role: "user", content });
const shell = toolSchema.parse({
  type: "function",
  name: "shell",
  description: "Runs a command.",
  parameters: { type: "object", properties: { cmd: { type: "string" } }, required: ["cmd"] },
});

/** An item as a client that keeps its own history may send it back: no ids, other key order. */
function resent(item: Item): Item {
  const entries = Object.entries(item).filter(([key]) => key !== "id" && key !== "status");
  const changed = Object.fromEntries(entries.reverse());
  if (typeof changed["arguments"] === "string")
    changed["arguments"] = ` ${changed["arguments"].replaceAll(":", " :  ")}`;
  return changed as Item;
}

function isPrefix(shorter: Uint32Array | undefined, longer: Uint32Array | undefined): boolean {
  return shorter !== undefined && longer !== undefined && shorter.every((id, index) => longer[index] === id);
}

describe("continuing a conversation", () => {
  let server: Pipeline;
  before(async () => {
    server = await pipeline();
  });
  after(() => server.close());

  it("gives the engine the same tokens by id, by content, and with the chain switched off", async () => {
    const first = await server.create({ input: [user("hello")], tools: [shell] });
    const history = [user("hello"), ...first.response.output];
    const chained = await server.create({
      input: [user("more")],
      tools: [shell],
      previous_response_id: first.response.id,
    });
    const resend = await server.create({ input: [...history.map(resent), user("more")], tools: [shell] });
    assert.equal(chained.lap?.continuation, "id");
    assert.equal(resend.lap?.continuation, "lineage");
    assert.deepEqual(server.prompts.at(-1), server.prompts.at(-2));
    assert.ok((resend.lap?.work.rendered_items ?? 9) <= 1);
    assert.ok(isPrefix(server.prompts.at(-3), server.prompts.at(-1)));
  });

  it("keeps each request a strict token prefix of the next over 30 laps, and works on the new items alone", async () => {
    let previous = await server.create({ input: [user("begin")], tools: [shell], tool_choice: "required" });
    const work: number[] = [];
    for (let lap = 0; lap < 30; lap++) {
      const call = previous.response.output.find((item) => item.type === "function_call") as {
        call_id?: string;
      };
      const before = server.prompts.at(-1);
      const output = {
        type: "function_call_output",
        call_id: String(call.call_id),
        output: `result ${lap}`,
      } as Item;
      previous = await server.create({
        input: [output],
        tools: [shell],
        tool_choice: "required",
        previous_response_id: previous.response.id,
      });
      assert.ok(isPrefix(before, server.prompts.at(-1)));
      assert.ok((server.prompts.at(-1)?.length ?? 0) > (before?.length ?? 0));
      work.push(previous.lap?.work.tokenized_tokens ?? 0);
      assert.equal(
        previous.lap?.tokens.cached,
        previous.lap === undefined ? -1 : previous.lap.tokens.prompt - previous.lap.tokens.new,
      );
    }
    assert.ok(Math.max(...work.slice(-5)) <= 2 + Math.max(...work.slice(0, 5)));
  });

  it("finds the deepest boundary, even inside one of its own responses", async () => {
    const first = await server.create({
      input: [user("call twice")],
      tools: [shell],
      tool_choice: "required",
    });
    const inside = first.response.output.slice(0, 1);
    const forked = await server.create({
      input: [user("call twice"), ...inside, user("instead")],
      tools: [shell],
    });
    assert.equal(forked.lap?.continuation, "lineage");
    assert.equal(forked.lap?.items.reused, 2);
  });

  it("does not continue under other instructions, and says so", async () => {
    const first = await server.create({ input: [user("hello")], instructions: "Be kind." });
    const second = await server.create({
      input: [user("more")],
      instructions: "Be brief.",
      previous_response_id: first.response.id,
    });
    assert.equal(second.lap?.cause, "fingerprint_changed");
    assert.equal(second.lap?.work.rendered_items, 3);
  });

  it("reports input tokens equal to the tokens the engine was given", async () => {
    const { response } = await server.create({ input: [user("count me")] });
    assert.equal(response.usage?.input_tokens, server.prompts.at(-1)?.length);
  });
});

describe("ids", () => {
  let server: Pipeline;
  before(async () => {
    server = await pipeline();
  });
  after(() => server.close());

  it("finds a store:false response on its own connection alone, and only the latest of a lane", async () => {
    const connection = "c1";
    const first = await server.create({ input: [user("a")], store: false }, { connection });
    const chained = { input: [user("b")], store: false, previous_response_id: first.response.id };
    assert.equal(await codeOf(server.create(chained)), "previous_response_not_found");
    assert.equal(await codeOf(server.create(chained, { connection: "c2" })), "previous_response_not_found");
    const fork = await server.create(chained, { connection, lane: "other" });
    const second = await server.create(chained, { connection });
    assert.equal(second.response.status, "completed");
    assert.equal(await codeOf(server.create(chained, { connection })), "previous_response_not_found");
    assert.equal(
      await codeOf(server.create({ ...chained, previous_response_id: fork.response.id }, { connection })),
      "nothing thrown",
    );
  });

  it("evicts the parent of a failed continuation on its lane, not that of a failed fork", async () => {
    const connection = "c3";
    const { response } = await server.create({ input: [user("a")], store: false }, { connection });
    const bad = {
      input: [{ type: "function_call_output", call_id: "none", output: "x" } as Item],
      store: false,
      previous_response_id: response.id,
    };
    assert.equal(await codeOf(server.create(bad, { connection, lane: "fork" })), "invalid_value");
    assert.equal(await codeOf(server.create(bad, { connection })), "invalid_value");
    const again = { input: [user("b")], store: false, previous_response_id: response.id };
    assert.equal(await codeOf(server.create(again, { connection })), "previous_response_not_found");
  });

  it("keeps two scopes apart: no ids, no cached tokens, no laps of the other", async () => {
    const mine = await server.create({ input: [user("the same prompt for both")] }, { scope: "one" });
    const theirs = await server.create({ input: [user("the same prompt for both")] }, { scope: "two" });
    assert.equal(theirs.response.usage?.input_tokens_details.cached_tokens, 0);
    const foreign = { input: [user("x")], previous_response_id: mine.response.id };
    assert.equal(await codeOf(server.create(foreign, { scope: "two" })), "previous_response_not_found");
  });

  it("continues a stored chain after the memory is gone, with its sampled ids", async () => {
    const first = await server.create({ input: [user("keep me")] });
    const second = await server.create({ input: [user("go on")], previous_response_id: first.response.id });
    const prompt = server.prompts.at(-1);
    for (const { id } of [first.response, second.response]) server.dependencies.chains.remove("default", id);
    const third = await server.create({ input: [user("and on")], previous_response_id: second.response.id });
    assert.ok(isPrefix(prompt, server.prompts.at(-1)));
    assert.equal(third.lap?.cause, null);
  });

  it("refuses outputs without a call and ids given twice", async () => {
    const call = { type: "function_call", call_id: "c", name: "f", arguments: "{}" } as Item;
    const output = { type: "function_call_output", call_id: "c", output: "x" } as Item;
    assert.equal(await codeOf(server.create({ input: [output] })), "invalid_value");
    assert.equal(await codeOf(server.create({ input: [call, output, output] })), "invalid_value");
    assert.equal(
      await codeOf(
        server.create({ input: [{ ...user("a"), id: "m" } as Item, { ...user("b"), id: "m" } as Item] }),
      ),
      "invalid_value",
    );
    assert.equal(await codeOf(server.create({ input: [call, output] })), "nothing thrown");
  });
});

describe("techniques switched off", () => {
  for (const off of ["chain", "lineage", "prefixReuse"] as const) {
    it(`${off}: the engine still gets the same tokens for the same items`, async () => {
      const usual = await pipeline();
      const without = await pipeline({ techniques: { ...allTechniques, [off]: false } });
      const items = [user("a"), { type: "message", role: "assistant", content: "b" } as Item, user("c")];
      await usual.create({ input: items });
      const plain = await without.create({ input: items });
      assert.deepEqual(without.prompts.at(-1), usual.prompts.at(-1));
      if (off === "prefixReuse") {
        await without.create({ input: items });
        assert.equal(plain.response.usage?.input_tokens_details.cached_tokens, 0);
      }
      await usual.close();
      await without.close();
    });
  }
});
