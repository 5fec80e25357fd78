import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@slipstream-stack/protocol";
import { hasValueLimits, JsonTracker } from "./json-tracker.ts";

const schema: JsonObject = {
  properties: {
    text: { type: "string", minLength: 1, maxLength: 3 },
    list: { type: "array", items: { type: "integer", minimum: 5, maximum: 20 } },
    "q\n": { type: "string", maxLength: 1 },
  },
};

function after(text: string, of = schema, skip = 0): JsonTracker {
  const tracker = new JsonTracker(of, skip);
  tracker.feed(Buffer.from(text));
  return tracker;
}

test("knows how much an open string may still get", () => {
  assert.equal(after('{"text": "a').room, 2);
  assert.equal(after('{"text": "a\\').room, 2);
  assert.equal(after('{"text": "abc').room, 0);
  assert.equal(after('{"text').room, Number.POSITIVE_INFINITY);
  assert.equal(after('{"other": "a').room, Number.POSITIVE_INFINITY);
  assert.equal(after('{"q\\n": "').room, 1);
});

test("a string that is too short or too long breaks it", () => {
  assert.equal(after('{"text": "abc"').broken, false);
  assert.equal(after('{"text": "abcd').broken, true);
  assert.equal(after('{"text": ""').broken, true);
  assert.equal(after('{"text": "abc\\').broken, true);
  assert.equal(after('{"texts": "abcd", "text": "abc"}').broken, false);
});

test("a number breaks it as soon as it cannot end within its limits", () => {
  assert.equal(after('{"list": [5, 1').broken, false);
  assert.equal(after('{"list": [5, 1').unfinished, true);
  assert.equal(after('{"list": [5, 12').unfinished, false);
  assert.equal(after('{"list": [5, 21').broken, true);
  assert.equal(after('{"list": [5, 1]').broken, true);
  assert.equal(after('{"list": [5, 12], "text": "a"}').broken, false);
});

test("true, false and null are no numbers", () => {
  const tracker = after("[true, false, null]", { items: { type: "number", minimum: 5 } });
  assert.equal(tracker.broken, false);
  assert.equal(tracker.unfinished, false);
});

test("a value at the root ends the text", () => {
  const tracker = after('"ab"cdefgh', { type: "string", maxLength: 2 });
  assert.equal(tracker.broken, false);
  assert.equal(tracker.inString, false);
  assert.equal(after("4", { type: "integer", minimum: 12 }).broken, false);
  assert.equal(after("4", { type: "integer", minimum: 12 }).unfinished, true);
  assert.equal(after("{}}}", schema).broken, false);
});

test("what stands before the text is skipped, in one piece or several", () => {
  const tracker = after('say "abcdef": {"te', schema, 14);
  tracker.feed(Buffer.from('xt": "'));
  assert.equal(tracker.room, 3);
});

test("a copy goes its own way", () => {
  const tracker = after('{"text": "a');
  const copy = tracker.clone();
  copy.feed(Buffer.from("bcd"));
  assert.equal(copy.broken, true);
  assert.equal(tracker.broken, false);
  assert.equal(tracker.room, 2);
});

test("says which schemas have limits to watch", () => {
  assert.equal(hasValueLimits(schema), true);
  for (const key of ["minLength", "maximum", "exclusiveMinimum"]) {
    assert.equal(hasValueLimits({ items: { [key]: 1 } }), true, key);
  }
  assert.equal(hasValueLimits({ type: "array", minItems: 1, maxItems: 4 }), false);
});
