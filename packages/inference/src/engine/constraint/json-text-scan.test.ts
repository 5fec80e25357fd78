import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { emptyString, type StringScan, scanByte } from "./json-text-scan.ts";

function scan(text: string): StringScan | null {
  let at: StringScan | null = emptyString;
  for (const byte of Buffer.from(text)) at = at === null ? null : scanByte(at, byte);
  return at;
}

test("counts characters, not bytes, and an escape as what it stands for", () => {
  for (const [text, chars] of [
    ["", 0],
    ["aé😀", 3],
    ['\\n\\\\\\"', 3],
    ["\\u00e9", 1],
    ["\\ud83d\\ude00", 1],
    ["\\ud83d\\ud83d", 2],
    ["\\ude00", 1],
  ] as const) {
    assert.equal(scan(text)?.chars, chars, text);
  }
});

test("says when it stands inside an escape", () => {
  assert.equal(scan("a\\")?.escape, "\\");
  assert.equal(scan("a\\u00")?.escape, "\\u00");
  assert.equal(scan("a\\u00e9")?.escape, "");
});

test("ends at a quote that is not escaped", () => {
  assert.equal(scan('a"'), null);
  assert.notEqual(scan('a\\"'), null);
  assert.equal(scan('a\\\\"'), null);
});

test("counts what JSON.parse finds in any string", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.boolean(), (value, ascii) => {
      const text = JSON.stringify(value).slice(1, -1);
      const plain = text.replace(/[^\0-\x7f]/gu, (letter) =>
        [...Array(letter.length).keys()]
          .map((index) => `\\u${letter.charCodeAt(index).toString(16).padStart(4, "0")}`)
          .join(""),
      );
      assert.equal(scan(ascii ? plain : text)?.chars, [...value].length);
    }),
  );
});
