import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@slipstream-stack/protocol";
import { JsonTracker } from "./json-tracker.ts";
import { testVocabulary, tokenOf } from "./test-vocabulary.ts";
import { hasToken, tokenSet } from "./token-set.ts";
import { ValueLimits } from "./value-limits.ts";

const limits = new ValueLimits(testVocabulary);
const end = testVocabulary.endOfGeneration[0]!;

/** Which of some tokens are left after a text. */
function left(schema: JsonObject, text: string, ids: readonly number[]): boolean[] {
  const tracker = new JsonTracker(schema, 0);
  tracker.feed(Buffer.from(text));
  const mask = tokenSet(ids, testVocabulary.pieces.length);
  limits.narrow(mask, tracker);
  return ids.map((id) => hasToken(mask, id));
}

const word = { type: "string", minLength: 2, maxLength: 5 };

test("a string gets no token that is too long for it, and no end too soon", () => {
  const ids = ["a", "get", "name", '"', '"}', "é"].map(tokenOf);
  assert.deepEqual(left(word, '"', ids), [true, true, true, false, false, true]);
  assert.deepEqual(left(word, '"ab', ids), [true, true, false, true, true, true]);
  assert.deepEqual(left(word, '"abcde', ids), [false, false, false, true, true, false]);
});

test("the last character may be an escape", () => {
  const ids = ["\\", "n", '"', "a"].map(tokenOf);
  assert.deepEqual(left(word, '"abcd', ids), [true, true, true, true]);
  assert.deepEqual(left(word, '"abcde', ids), [false, false, true, false]);
  assert.equal(left(word, '"abcd\\', [tokenOf("n")])[0], true);
  assert.deepEqual(left(word, '"abcd\\', ["n", "get"].map(tokenOf)), [true, false]);
});

test("a token that opens a string with text in it counts", () => {
  const schema = { properties: { a: { type: "string", maxLength: 0 } } };
  const ids = ['"', '": ', '"a"'].map(tokenOf);
  assert.deepEqual(left(schema, '{"a": ', ids), [true, false, false]);
});

test("a number goes on only towards its range, and the output ends only within it", () => {
  const schema = { type: "integer", minimum: 5, maximum: 20 };
  const ids = [...["1", "3", "5", "12", "-"].map(tokenOf), end];
  assert.deepEqual(left(schema, "", ids), [true, false, true, true, false, true]);
  assert.deepEqual(left(schema, "1", ids), [true, true, true, false, false, false]);
  assert.equal(left(schema, "12", ids)[5], true);
});

test("free strings are left alone, and a mask is never emptied", () => {
  assert.deepEqual(left({ type: "string" }, '"abc', [tokenOf("name"), tokenOf('"')]), [true, true]);
  assert.deepEqual(left(word, '"abcde', [tokenOf("a"), tokenOf("name")]), [true, true]);
});
