import assert from "node:assert/strict";
import { test } from "node:test";
import { closedSchema } from "./closed-schema.ts";

test("an object that names its properties stays closed", () => {
  const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
  assert.deepEqual(closedSchema(schema), schema);
});

test("an object that names nothing is opened, at any depth", () => {
  const free = { type: "object" };
  const opened = { type: "object", additionalProperties: true };
  assert.deepEqual(closedSchema(free), opened);
  assert.deepEqual(closedSchema({ type: ["object", "null"] }), {
    type: ["object", "null"],
    additionalProperties: true,
  });
  assert.deepEqual(closedSchema({ type: "array", items: free }), { type: "array", items: opened });
  assert.deepEqual(closedSchema({ anyOf: [free, { type: "null" }] }), { anyOf: [opened, { type: "null" }] });
  assert.deepEqual(closedSchema({ $defs: { x: free }, $ref: "#/$defs/x" }), {
    $defs: { x: opened },
    $ref: "#/$defs/x",
  });
  assert.deepEqual(closedSchema({ type: "object", additionalProperties: free }), {
    type: "object",
    additionalProperties: opened,
  });
});

test("what an object says of other properties is kept", () => {
  for (const additionalProperties of [true, false]) {
    const schema = { type: "object", properties: {}, additionalProperties };
    assert.deepEqual(closedSchema(schema), schema);
  }
});

test("an array that says nothing of its items takes any", () => {
  assert.deepEqual(closedSchema({ type: "array" }), { type: "array", items: {} });
  const pair = { type: "array", prefixItems: [{ type: "string" }] };
  assert.deepEqual(closedSchema(pair), pair);
});

test("a property called like a keyword is no keyword", () => {
  const schema = { type: "object", properties: { type: { const: "object" }, items: { enum: ["x"] } } };
  assert.deepEqual(closedSchema(schema), schema);
});

test("values of enum, const, default and examples are left alone", () => {
  const value = { type: "object" };
  const schema = { enum: [value], const: value, default: value, examples: [value] };
  assert.deepEqual(closedSchema(schema), schema);
});
