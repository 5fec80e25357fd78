import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isJsonObject, tryParseJson } from "./json.ts";

test("what is JSON is parsed, all else is undefined", () => {
  fc.assert(fc.property(fc.json(), (text) => assert.deepEqual(tryParseJson(text), JSON.parse(text))));
  for (const text of ["", "{", "undefined", "{'a':1}", "1 2", "NaN"])
    assert.equal(tryParseJson(text), undefined);
});

test("null and lists are no objects", () => {
  assert.ok(isJsonObject({}));
  for (const value of [null, undefined, [], "x", 1, true]) assert.equal(isJsonObject(value), false);
});
