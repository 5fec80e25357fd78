import assert from "node:assert/strict";
import { test } from "node:test";
import { optionalCount, optionalText, requiredText } from "./arguments.ts";
import { ToolArgumentError } from "./tool.ts";

test("a required text must be there and not be empty", () => {
  assert.equal(requiredText({ a: " x" }, "a"), " x");
  for (const given of [{}, { a: "" }, { a: 1 }, { a: null }, { a: ["x"] }]) {
    assert.throws(() => requiredText(given, "a"), ToolArgumentError);
  }
});

test("an optional text may be missing, null or empty, and nothing but text", () => {
  for (const given of [{}, { a: "" }, { a: null }]) assert.equal(optionalText(given, "a"), null);
  assert.equal(optionalText({ a: "x" }, "a"), "x");
  assert.throws(() => optionalText({ a: 1 }, "a"), ToolArgumentError);
});

test("a count may come as text, is cut to its limit, and starts at 1", () => {
  assert.equal(optionalCount({}, "a", 10), null);
  assert.equal(optionalCount({ a: "7" }, "a", 10), 7);
  assert.equal(optionalCount({ a: 70 }, "a", 10), 10);
  for (const a of [0, -1, 1.5, "x", true, [1], Number.MAX_VALUE * 2]) {
    assert.throws(() => optionalCount({ a }, "a", 10), ToolArgumentError);
  }
});
