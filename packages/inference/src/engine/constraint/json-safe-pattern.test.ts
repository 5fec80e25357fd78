import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { jsonSafePattern } from "./json-safe-pattern.ts";

function matches(pattern: string, text: string): boolean {
  return new RegExp(`^(?:${jsonSafePattern(pattern)})$`, "u").test(text);
}

test("what admits any character admits none that cannot stand raw", () => {
  for (const pattern of ["^.$", "^[^x]$", "^\\S$", "^\\D$", "^\\W$", "^[\\S]$", "^[!-~]$"]) {
    assert.equal(matches(pattern, "!"), true, pattern);
    for (const text of ['"', "\\", "\n", "\x01"]) assert.equal(matches(pattern, text), false, pattern);
  }
});

test("a quote, a backslash or a line break that is named is admitted as its escape", () => {
  for (const [pattern, text] of [
    ['^"$', '\\"'],
    ['^\\"$', '\\"'],
    ["^\\\\$", "\\\\"],
    ["^\\n$", "\\n"],
    ['^["a]$', '\\"'],
    ["^[\\na]$", "\\n"],
  ] as const) {
    assert.equal(matches(pattern, text), true, pattern);
    assert.equal(matches(pattern, String(JSON.parse(`"${text}"`))), false, pattern);
  }
  assert.equal(matches('^["a]$', "a"), true);
});

test("other patterns mean what they meant", () => {
  const patterns = [
    "^[a-c]+$",
    "^x?\\d{2,4}$",
    "^(get|set)_[A-Z]$",
    "^[\\w.-]+@\\w+\\.[a-z]{2,}$",
    "^\\u00e9|\\[x\\]$",
  ];
  const texts = ["abc", "x123", "12", "get_A", "a.b-c@d.io", "é", "[x]", "", "z"];
  for (const pattern of patterns) {
    for (const text of texts) {
      assert.equal(
        matches(pattern, text),
        new RegExp(`^(?:${pattern})$`, "u").test(text),
        `${pattern} ${text}`,
      );
    }
  }
});

test("classes are written in ASCII, small sets past it character by character", () => {
  for (const pattern of ["^\\S$", "^[^x]$", "^[é-ü]$", "^[\\w😀]$", "^\\u00e9$"]) {
    for (const [part] of jsonSafePattern(pattern).matchAll(/\[.*?\]/g)) assert.match(part, /^[\0-\x7f]*$/);
  }
  assert.equal(matches("^[é-ü]$", "ê"), true);
  assert.equal(matches("^[é-ü]$", "e"), false);
  assert.equal(matches("^[😀-😎]$", "😃"), true);
  assert.equal(matches("^[^a]$", "😃"), true);
  assert.equal(matches("^\\x41\\u0042\\u{43}[\\]\\-\\d]$", "ABC]"), true);
  assert.equal(matches("^\\cJ?[\\b]$", "\\n\\b"), true);
});

test("what is matched is the inside of a JSON string whose value the pattern matches", () => {
  const atom = fc.constantFrom(
    ".",
    "[^a]",
    '"',
    "\\\\",
    "\\n",
    "a",
    "[ -z]",
    "[^\\n]",
    "\\S",
    "[\\D\\n]",
    '[\\\\"]',
    "b",
  );
  const patterns = fc.array(atom, { minLength: 1, maxLength: 4 }).map((atoms) => `^${atoms.join("")}$`);
  const texts = fc.string({
    unit: fc.constantFrom("a", "b", '\\"', "\\\\", "\\n", '"', "\n", "é", " "),
    maxLength: 4,
  });
  fc.assert(
    fc.property(patterns, texts, (pattern, text) => {
      if (!matches(pattern, text)) return;
      const value: unknown = JSON.parse(`"${text}"`);
      assert.equal(typeof value, "string");
      assert.match(String(value), new RegExp(pattern, "u"));
    }),
    { numRuns: 2000 },
  );
});
