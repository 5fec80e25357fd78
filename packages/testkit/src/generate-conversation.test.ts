import assert from "node:assert/strict";
import { test } from "node:test";
import { type Item, isKnownItem, itemSchema } from "@slipstream-stack/protocol";
import { generateConversation } from "./generate-conversation.ts";

const seeds = Array.from({ length: 60 }, (_, seed) => seed);

function typesOf(items: readonly Item[]): Set<string> {
  return new Set(
    items.map((item) =>
      item.type === "message" && isKnownItem(item) && "role" in item ? `${item.role}` : item.type,
    ),
  );
}

test("equal seeds give equal conversations, other seeds others", () => {
  for (const seed of seeds) assert.deepEqual(generateConversation(seed), generateConversation(seed));
  assert.equal(new Set(seeds.map((seed) => JSON.stringify(generateConversation(seed)))).size, seeds.length);
});

test("every item is what the wire would parse to, and survives JSON", () => {
  for (const seed of seeds) {
    for (const item of generateConversation(seed, { customTools: true })) {
      assert.deepEqual(itemSchema.parse(JSON.parse(JSON.stringify(item))), item);
    }
  }
});

test("every call is answered exactly once, after it was made", () => {
  for (const seed of seeds) {
    const open = new Set<string>();
    for (const item of generateConversation(seed, { laps: 6, customTools: true })) {
      if (!("call_id" in item) || typeof item.call_id !== "string") continue;
      if (item.type.endsWith("_output")) assert.ok(open.delete(item.call_id));
      else open.add(item.call_id);
    }
    assert.equal(open.size, 0);
  }
});

test("arguments are JSON text", () => {
  for (const item of seeds.flatMap((seed) => generateConversation(seed))) {
    if (isKnownItem(item) && item.type === "function_call")
      assert.doesNotThrow(() => JSON.parse(item.arguments));
  }
});

test("over some seeds all kinds come up: roles, calls, empty text, odd Unicode, what looks like structure", () => {
  const items = seeds.flatMap((seed) => generateConversation(seed, { customTools: true }));
  for (const type of [
    "user",
    "assistant",
    "developer",
    "function_call",
    "function_call_output",
    "custom_tool_call",
  ]) {
    assert.ok(typesOf(items).has(type), type);
  }
  const all = JSON.stringify(items);
  for (const part of ["<|im_end|>", "<tool_call>", "👩‍👩‍👧‍👦", '"text":""', "東京"])
    assert.ok(all.includes(part), part);
});

test("options shape it: laps, no calls, own tools", () => {
  const talk = generateConversation(1, { laps: 3, maxCalls: 0 });
  assert.ok([...typesOf(talk)].every((type) => ["user", "assistant", "developer"].includes(type)));
  assert.ok(generateConversation(1, { laps: 20 }).length > generateConversation(1, { laps: 2 }).length);
  for (const item of seeds.flatMap((seed) => generateConversation(seed, { tools: ["only"] }))) {
    if (isKnownItem(item) && item.type === "function_call") assert.equal(item.name, "only");
  }
});
