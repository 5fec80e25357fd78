import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { canonicalJson } from "./canonical-json.ts";
import { isJsonObject, type JsonValue } from "./json.ts";

const anyJson = fc.jsonValue() as fc.Arbitrary<JsonValue>;

/** The same value with the members of every object in another order. */
function shuffled(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(shuffled);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, shuffled(member)]),
  );
}

test("the order of keys never matters", () => {
  fc.assert(
    fc.property(anyJson, (value) => {
      assert.equal(canonicalJson(shuffled(value)), canonicalJson(value));
    }),
  );
});

test("canonical text stays as it is when read and written again", () => {
  fc.assert(
    fc.property(anyJson, (value) => {
      const text = canonicalJson(value);
      assert.equal(canonicalJson(JSON.parse(text) as JsonValue), text);
    }),
  );
});

test("the value survives", () => {
  fc.assert(
    fc.property(anyJson, (value) => {
      assert.deepEqual(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value)));
    }),
  );
});

const cases: [string, JsonValue | undefined, string][] = [
  ["keys by UTF-16 unit", { b: 1, a: 2, B: 3, "\u00e4": 4 }, '{"B":3,"a":2,"b":1,"\u00e4":4}'],
  ["numeric keys as text", { 10: "x", 9: "y" }, '{"10":"x","9":"y"}'],
  ["order of lists kept", [3, 1, 2], "[3,1,2]"],
  ["nested objects", { z: [{ b: 1, a: 1 }] }, '{"z":[{"a":1,"b":1}]}'],
  ["a member that is undefined", { a: undefined } as unknown as JsonValue, "{}"],
  ["nothing", undefined, "null"],
  ["a key like a prototype's", JSON.parse('{"__proto__":1,"a":2}') as JsonValue, '{"__proto__":1,"a":2}'],
  ["text with quotes", 'say "hi"\n', '"say \\"hi\\"\\n"'],
];
for (const [name, value, text] of cases) {
  test(`canonical form: ${name}`, () => assert.equal(canonicalJson(value), text));
}
