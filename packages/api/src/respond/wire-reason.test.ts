import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Item, toolSchema } from "@slipstream-stack/protocol";
import { type Pipeline, pipeline } from "./testing/pipeline.ts";

const user = (content: string): Item => ({ type: "message", role: "user", content });
const tool = (name: string) => toolSchema.parse({ type: "function", name, parameters: { type: "object" } });

describe("why a prefix broke", () => {
  let server: Pipeline;
  before(async () => {
    server = await pipeline();
  });
  after(() => server.close());

  const cases = [
    { change: { tools: [tool("b")] }, cause: "fingerprint_changed", reason: "tools_changed" },
    { change: { instructions: "Other." }, cause: "fingerprint_changed", reason: "input_changed" },
    { change: { temperature: 0 }, cause: null, reason: null },
    { change: { tool_choice: "none" }, cause: null, reason: null },
  ] as const;
  for (const { change, cause, reason } of cases) {
    it(`${JSON.stringify(Object.keys(change))} gives ${cause} and ${reason}`, async () => {
      const settings = { tools: [tool("a")], instructions: "Be brief." };
      const first = await server.create({ input: [user("a")], ...settings });
      const next = { input: [user("b")], previous_response_id: first.response.id, ...settings, ...change };
      const { lap } = await server.create(next as never);
      assert.deepEqual([lap?.cause, lap?.wire_reason], [cause, reason]);
    });
  }

  it("an edited history is named by content alone", async () => {
    const first = await server.create({ input: [user("one")] });
    const edited = [user("two"), ...first.response.output, user("three")];
    const { lap } = await server.create({ input: edited });
    assert.deepEqual([lap?.cause, lap?.wire_reason], ["lineage_miss", "input_changed"]);
  });

  it("keeps the lap of an answer that failed", async () => {
    const slow = await pipeline({}, { cost: { prefillMsPerToken: 0, decodeMsPerStep: 5, batchFactor: 0 } });
    const running = slow.create({ input: [user("stay")] });
    setTimeout(() => slow.model.engine.crash(), 20);
    const { response, lap } = await running;
    assert.deepEqual([response.status, lap?.status, lap?.error_code], ["failed", "failed", "server_error"]);
    await slow.close();
  });
});
