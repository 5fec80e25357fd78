import assert from "node:assert/strict";
import { test } from "node:test";
import { toByteLevelText } from "./byte-level-text.ts";

test("printable bytes stand for themselves, the others for the letters GPT-2 gave them", () => {
  assert.equal(toByteLevelText(Buffer.from("a{}~!")), "a{}~!");
  assert.equal(toByteLevelText(Buffer.from(" \n\t")), "ĠĊĉ");
  assert.equal(toByteLevelText(Buffer.from("é")), "Ã©");
  assert.equal(toByteLevelText(Uint8Array.of(0xad)), "Ń");
});

test("all 256 bytes have a letter of their own", () => {
  const letters = Array.from({ length: 256 }, (_, byte) => toByteLevelText(Uint8Array.of(byte)));
  assert.equal(new Set(letters).size, 256);
  assert.ok(letters.every((letter) => letter.length === 1));
});
