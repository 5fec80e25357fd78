import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@slipstream-stack/protocol";
import { mergedSchema } from "./merged-schema.ts";

const merged = (schema: JsonObject) => mergedSchema(schema, schema);

test("a schema without combiners, or with one alone, stays as it is", () => {
  for (const schema of [
    { type: "object", properties: { a: { allOf: [] } } },
    { anyOf: [{ type: "string" }, { type: "null" }], description: "either", default: null },
  ]) {
    assert.deepEqual(merged(schema), schema);
  }
});

test("all of several is one schema", () => {
  const schema = {
    allOf: [
      { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
      { properties: { a: { minLength: 1 }, b: {} }, required: ["b", "a"] },
    ],
    description: "both",
  };
  assert.deepEqual(merged(schema), {
    description: "both",
    type: "object",
    properties: { a: { type: "string", minLength: 1 }, b: {} },
    required: ["a", "b"],
  });
});

test("types are narrowed to what both allow", () => {
  assert.deepEqual(merged({ allOf: [{ type: ["string", "null"] }, { type: "string" }] }), { type: "string" });
});

test("what stands beside a choice holds in each of its branches", () => {
  const schema = {
    type: "object",
    properties: { a: {}, b: {} },
    required: ["a"],
    anyOf: [{ required: ["b"] }, { properties: { c: {} } }],
  };
  assert.deepEqual(merged(schema), {
    anyOf: [
      { type: "object", properties: { a: {}, b: {} }, required: ["a", "b"] },
      { type: "object", properties: { a: {}, b: {}, c: {} }, required: ["a"] },
    ],
  });
});

test("references are followed where they must be, and definitions kept", () => {
  const $defs = { base: { type: "object", properties: { a: {} } } };
  assert.deepEqual(merged({ $defs, allOf: [{ $ref: "#/$defs/base" }], required: ["a"] }), {
    $defs,
    type: "object",
    properties: { a: {} },
    required: ["a"],
  });
  assert.deepEqual(merged({ $defs, oneOf: [{ $ref: "#/$defs/base" }], required: ["a"] }), {
    $defs,
    oneOf: [{ type: "object", properties: { a: {} }, required: ["a"] }],
  });
  const unknown = { allOf: [{ $ref: "#/elsewhere" }] };
  assert.deepEqual(merged(unknown), unknown);
});

test("a schema that is all of itself comes to an end", () => {
  merged({ $defs: { a: { allOf: [{ $ref: "#/$defs/a" }] } }, allOf: [{ $ref: "#/$defs/a" }] });
});
