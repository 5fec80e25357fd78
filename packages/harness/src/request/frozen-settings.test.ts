import assert from "node:assert/strict";
import { test } from "node:test";
import type { RequestSettings, Tool } from "@slipstream-stack/protocol";
import fc from "fast-check";
import { changedField, freezeSettings } from "./frozen-settings.ts";

function tool(name: string): Tool {
  return {
    type: "function",
    name,
    description: `does ${name}`,
    parameters: { type: "object", properties: {} },
  };
}

function freeze(settings: RequestSettings, store = false) {
  return freezeSettings({ settings, store });
}

test("order of registration and order of keys leave no trace", () => {
  const tools = ["read", "Write", "_x", "ähm", "shell", "apply"].map(tool);
  const expected = freeze({ model: "m", tools, parallel_tool_calls: true });
  fc.assert(
    fc.property(fc.shuffledSubarray(tools, { minLength: tools.length }), fc.boolean(), (shuffled, flip) => {
      const reversed = shuffled.map(
        (entry) => Object.fromEntries(Object.entries(entry).reverse()) as unknown as Tool,
      );
      const settings = flip
        ? { parallel_tool_calls: true, tools: reversed, model: "m" }
        : { model: "m", tools: shuffled, parallel_tool_calls: true };
      assert.equal(freeze(settings).json, expected.json);
    }),
    { numRuns: 1000 },
  );
});

test("null and undefined fields do not travel", () => {
  assert.equal(freeze({ model: "m", temperature: null, tools: undefined }).json, '"model":"m"');
});

test("the changed field is named, whether changed, added, removed or store", () => {
  const base = freeze({ model: "m", tools: [tool("a")] });
  assert.equal(changedField(base, freeze({ model: "m", tools: [tool("a")] })), null);
  assert.equal(changedField(base, freeze({ model: "n", tools: [tool("a")] })), "model");
  assert.equal(changedField(base, freeze({ model: "m", tools: [tool("a"), tool("b")] })), "tools");
  assert.equal(changedField(base, freeze({ model: "m" })), "tools");
  assert.equal(changedField(base, freeze({ model: "m", tools: [tool("a")], temperature: 0 })), "temperature");
  assert.equal(changedField(base, freeze({ model: "m", tools: [tool("a")] }, true)), "store");
});
