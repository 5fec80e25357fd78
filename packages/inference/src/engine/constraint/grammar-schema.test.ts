import assert from "node:assert/strict";
import { test } from "node:test";
import { GrammarRefused } from "./grammar-refused.ts";
import { grammarSchema } from "./grammar-schema.ts";

test("an object that names its properties stays closed", () => {
  const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
  assert.deepEqual(grammarSchema(schema), schema);
});

test("an object that names nothing is opened, at any depth", () => {
  const free = { type: "object" };
  const opened = { type: "object", additionalProperties: true };
  assert.deepEqual(grammarSchema(free), opened);
  assert.deepEqual(grammarSchema({ type: ["object", "null"] }), {
    type: ["object", "null"],
    additionalProperties: true,
  });
  assert.deepEqual(grammarSchema({ type: "array", items: free }), { type: "array", items: opened });
  assert.deepEqual(grammarSchema({ anyOf: [free, { type: "null" }] }), { anyOf: [opened, { type: "null" }] });
  assert.deepEqual(grammarSchema({ $defs: { x: free }, $ref: "#/$defs/x" }), {
    $defs: { x: opened },
    $ref: "#/$defs/x",
  });
  assert.deepEqual(grammarSchema({ type: "object", additionalProperties: free }), {
    type: "object",
    additionalProperties: opened,
  });
});

test("what an object says of other properties is kept", () => {
  for (const additionalProperties of [true, false]) {
    const schema = { type: "object", properties: {}, additionalProperties };
    assert.deepEqual(grammarSchema(schema), schema);
  }
});

test("an array that says nothing of its items takes any", () => {
  assert.deepEqual(grammarSchema({ type: "array" }), { type: "array", items: {} });
  const pair = { type: "array", prefixItems: [{ type: "string" }] };
  assert.deepEqual(grammarSchema(pair), pair);
});

test("a property called like a keyword is no keyword", () => {
  const schema = { type: "object", properties: { type: { const: "object" }, items: { enum: ["x"] } } };
  assert.deepEqual(grammarSchema(schema), schema);
});

test("values of enum, const, default and examples are left alone", () => {
  const value = { type: "object" };
  const schema = { enum: [value], const: value, default: value, examples: [value] };
  assert.deepEqual(grammarSchema(schema), schema);
});

test("lengths of strings are left to others, patterns are made safe", () => {
  const schema = { type: "string", minLength: 1, maxLength: 9, pattern: "^.$" };
  const { pattern, ...rest } = grammarSchema(schema);
  assert.deepEqual(rest, { type: "string" });
  assert.notEqual(pattern, "^.$");
  const named = { type: "object", properties: { maxLength: { type: "null" } } };
  assert.deepEqual(grammarSchema(named), named);
});

test("ranges of numbers are left to others", () => {
  assert.deepEqual(grammarSchema({ type: "integer", minimum: 1, exclusiveMaximum: 5 }), { type: "integer" });
});

test("limits that nothing meets are refused", () => {
  for (const schema of [
    { type: "string", minLength: 3, maxLength: 2 },
    { type: "number", minimum: 3, maximum: 2 },
    { type: "number", minimum: 2, exclusiveMaximum: 2 },
    { type: "array", items: { type: "integer", exclusiveMinimum: 1, exclusiveMaximum: 2 } },
  ]) {
    assert.throws(() => grammarSchema(schema), GrammarRefused);
  }
});

test("patterns of property names are made safe too", () => {
  const { patternProperties } = grammarSchema({ patternProperties: { "^.$": { type: "null" } } });
  assert.deepEqual(Object.values(patternProperties ?? {}), [{ type: "null" }]);
  assert.equal(Object.hasOwn(Object(patternProperties), "^.$"), false);
});

test("a property name that the library would write wrong is refused", () => {
  for (const name of ['a"b', "a\\b", "a\nb"]) {
    assert.throws(() => grammarSchema({ properties: { [name]: {} } }), GrammarRefused);
  }
  grammarSchema({ properties: { "é b.c$": {} } });
});
