import assert from "node:assert/strict";
import { test } from "node:test";
import { admits, testVocabulary, tokenOf } from "./test-vocabulary.ts";
import { TokenMask, whitespaceRun } from "./token-mask.ts";

const mask = new TokenMask(testVocabulary);
const end = testVocabulary.endOfGeneration[0]!;
const opening = tokenOf("<tool_call>");
const closing = tokenOf("</tool_call>");

function of(...ids: number[]): Uint32Array {
  const words = new Uint32Array(Math.ceil(testVocabulary.pieces.length / 32));
  for (const id of ids) words[id >> 5]! |= 1 << (id & 31);
  return words;
}

test("says whether text and the end are admitted", () => {
  assert.deepEqual(
    mask.narrow(of(tokenOf("a")), 0, () => ""),
    { text: true, end: false },
  );
  assert.deepEqual(
    mask.narrow(of(tokenOf("a"), end), 0, () => ""),
    { text: true, end: true },
  );
  assert.deepEqual(
    mask.narrow(of(end), 0, () => ""),
    { text: false, end: true },
  );
  assert.deepEqual(
    mask.narrow(of(), 0, () => ""),
    { text: false, end: false },
  );
});

test("a structural token stays only where its text must come", () => {
  const words = of(tokenOf("<"), opening, closing);
  mask.narrow(words, 0, () => "</tool_call>\n");
  assert.deepEqual(
    [opening, closing].map((id) => admits(words, id)),
    [false, true],
  );
  mask.narrow(words, 0, () => "");
  assert.equal(admits(words, closing), false);
  assert.equal(admits(words, tokenOf("<")), true);
});

test("a structural token stays where nothing else would", () => {
  const words = of(closing);
  assert.deepEqual(
    mask.narrow(words, 0, () => ""),
    { text: true, end: false },
  );
});

test("the forced text is not asked for where no structural token is admitted", () => {
  mask.narrow(of(tokenOf("a")), 0, () => assert.fail("asked"));
});

test("whitespace goes once there is too much of it, if anything else is left", () => {
  const words = of(tokenOf(" "), tokenOf("\n\n"), tokenOf("}\n"));
  mask.narrow(words, 127, () => "");
  assert.equal(admits(words, tokenOf(" ")), true);
  mask.narrow(words, 128, () => "");
  assert.deepEqual(
    [" ", "\n\n", "}\n"].map((text) => admits(words, tokenOf(text))),
    [false, false, true],
  );
  const only = of(tokenOf(" "));
  mask.narrow(only, 500, () => "");
  assert.equal(admits(only, tokenOf(" ")), true);
});

test("the run of whitespace grows over tokens of whitespace and starts again after others", () => {
  assert.equal(whitespaceRun(3, Buffer.from(" \n")), 5);
  assert.equal(whitespaceRun(3, Buffer.from("a \t")), 2);
  assert.equal(whitespaceRun(3, Buffer.from("a")), 0);
  assert.equal(whitespaceRun(3, Buffer.from("")), 3);
});
