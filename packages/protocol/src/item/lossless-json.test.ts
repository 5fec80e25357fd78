import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { JsonValue } from "../json.ts";
import { isLosslessJson } from "./lossless-json.ts";

const isLossless = (text: string): boolean => isLosslessJson(text, JSON.parse(text) as JsonValue);

test("text that JavaScript printed from short numbers is lossless", () => {
  const leaf = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.integer({ min: -999_999_999, max: 999_999_999 }),
    fc.boolean(),
    fc.constant(null),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(leaf, fc.array(tie("value")), fc.dictionary(fc.string(), tie("value"))),
  }));
  fc.assert(
    fc.property(value, fc.nat(3), (given, spaces) => {
      assert.ok(isLossless(JSON.stringify(given, null, spaces)));
    }),
  );
});

test("a key given twice is seen wherever it stands", () => {
  fc.assert(
    fc.property(fc.string(), fc.jsonValue(), fc.array(fc.jsonValue()), (key, member, around) => {
      const name = JSON.stringify(key);
      const twice = `{${name}:1,${name}:${JSON.stringify(member)}}`;
      const text = `[${[...around.map((value) => JSON.stringify(value)), twice].join(",")}]`;
      assert.equal(isLossless(text), false);
    }),
  );
});

test("numbers count, digits in strings do not", () => {
  assert.equal(isLossless("123456789012345678"), false);
  assert.equal(isLossless('"123456789012345678"'), true);
  assert.equal(isLossless('{"\\"":-0.5e-10}'), true);
  assert.equal(isLossless("-1e999"), false);
  assert.equal(isLossless('["a\\\\",12345678901234567]'), false);
});

test("long texts are looked at once", () => {
  assert.equal(isLossless(`"${"x\\\\".repeat(2_000_000)}"`), true);
  assert.equal(isLossless(`1${"0".repeat(1_000_000)}`), false);
});
