import assert from "node:assert/strict";
import { test } from "node:test";
import { SchemaPath } from "./schema-path.ts";

const short = { type: "string", maxLength: 3 };

test("finds the limits of members, items and additional members", () => {
  const root = SchemaPath.root({
    properties: { a: short, list: { prefixItems: [{ type: "null" }], items: short } },
    additionalProperties: { type: "string", minLength: 2 },
  });
  assert.deepEqual(root.lengths(), []);
  assert.deepEqual(root.member("a").lengths(), [{ min: 0, max: 3 }]);
  assert.deepEqual(root.member("b").lengths(), [{ min: 2, max: Number.POSITIVE_INFINITY }]);
  assert.deepEqual(root.member("list").item(0).lengths(), []);
  assert.deepEqual(root.member("list").item(1).lengths(), [{ min: 0, max: 3 }]);
});

test("a pattern of names may limit any member that is not named", () => {
  const root = SchemaPath.root({ properties: { a: {} }, patternProperties: { "^x": short } });
  assert.deepEqual(root.member("xy").lengths(), [{ min: 0, max: 3 }]);
  assert.deepEqual(root.member("a").lengths(), []);
});

test("follows local references, also in a circle", () => {
  const root = SchemaPath.root({
    $ref: "#/$defs/a~1b",
    $defs: { "a/b": { properties: { next: { $ref: "#/$defs/a~1b" }, text: short } } },
  });
  assert.deepEqual(root.member("next").member("next").member("text").lengths(), [{ min: 0, max: 3 }]);
  const loop = SchemaPath.root({ $ref: "#" });
  assert.deepEqual(loop.lengths(), []);
  assert.deepEqual(SchemaPath.root({ $ref: "elsewhere" }).lengths(), []);
  assert.deepEqual(SchemaPath.root({ $ref: "#/not/there" }).lengths(), []);
});

test("at several places at once what all allow holds, else what any allows", () => {
  const either = (...anyOf: object[]) => SchemaPath.root({ anyOf: anyOf.map((one) => ({ ...one })) });
  assert.deepEqual(either(short, { type: "null" }).lengths(), [{ min: 0, max: 3 }]);
  assert.deepEqual(either(short, { type: "string", minLength: 2 }).lengths(), [{ min: 2, max: 3 }]);
  assert.equal(either(short, { type: "string", minLength: 5 }).lengths().length, 2);
  const numbers = either({ type: "integer", maximum: 5 }, { type: "number", exclusiveMinimum: 0 }).numbers();
  assert.deepEqual(numbers, [{ min: 0, max: 5, above: true, below: false, integer: false }]);
  assert.equal(either({ type: "integer", maximum: 5 }, { type: "integer", minimum: 9 }).numbers().length, 2);
});

test("a place that is no string or number limits none", () => {
  const root = SchemaPath.root({ type: "integer", maxLength: 3, minimum: 1 });
  assert.deepEqual(root.lengths(), []);
  assert.equal(root.numbers().length, 1);
  assert.deepEqual(SchemaPath.root({ type: ["string", "null"], maxLength: 1 }).lengths(), [
    { min: 0, max: 1 },
  ]);
  assert.deepEqual(SchemaPath.root({ maxLength: 1 }).lengths(), [{ min: 0, max: 1 }]);
  assert.deepEqual(SchemaPath.root({ type: "number" }).numbers(), []);
});
