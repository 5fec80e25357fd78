import assert from "node:assert/strict";
import { test } from "node:test";
import { toByteLevelText } from "./byte-level-text.ts";
import { admits, testVocabulary, tokenOf } from "./test-vocabulary.ts";
import { loadXGrammar, type XInstance } from "./xgrammar-library.ts";

async function compilerOf({ library }: XInstance) {
  const texts = testVocabulary.pieces.map(toByteLevelText);
  const ends = [...testVocabulary.endOfGeneration];
  const info = await library.TokenizerInfo.createTokenizerInfo(
    texts,
    "byte_level",
    false,
    texts.length,
    ends,
  );
  return library.GrammarCompiler.createGrammarCompiler(info, false);
}

test("leaves no trace on the global object", () => {
  const before = Object.keys(globalThis);
  loadXGrammar();
  assert.deepEqual(Object.keys(globalThis), before);
});

test("masks are one bit per id in 32-bit words", async () => {
  const instance = loadXGrammar();
  assert.equal(instance.memoryBytes(), 0);
  const compiler = await compilerOf(instance);
  assert.ok(instance.memoryBytes() > 0);
  const grammar = await instance.library.Grammar.fromEBNF('root ::= "get" | "a"', "root");
  const matcher = await instance.library.GrammarMatcher.createGrammarMatcher(
    await compiler.compileGrammar(grammar),
  );
  const mask = new Uint32Array(await matcher.getNextTokenBitmask());
  assert.equal(mask.length, Math.ceil(testVocabulary.pieces.length / 32));
  for (const text of ["get", "g", "a"]) assert.equal(admits(mask, tokenOf(text)), true);
  for (const text of ["e", "true"]) assert.equal(admits(mask, tokenOf(text)), false);
});

test("a character may be given in two halves", async () => {
  const instance = loadXGrammar();
  const compiler = await compilerOf(instance);
  const grammar = await instance.library.Grammar.fromEBNF('root ::= "é!"', "root");
  const matcher = await instance.library.GrammarMatcher.createGrammarMatcher(
    await compiler.compileGrammar(grammar),
  );
  const [first, second] = Buffer.from("é");
  assert.equal(matcher._acceptString(Uint8Array.of(first!)), true);
  assert.equal(matcher.acceptToken(second!), true);
  assert.equal(matcher.acceptToken(tokenOf("!")), true);
});

test("an abort rejects, its reason can be read, and another instance does not notice", async () => {
  const broken = loadXGrammar();
  const sound = loadXGrammar();
  const [brokenCompiler, soundCompiler] = [await compilerOf(broken), await compilerOf(sound)];
  await assert.rejects(brokenCompiler.compileJSONSchema('{"type":"odd"}', true, undefined, undefined, true));
  assert.match(broken.lastComplaint(), /odd/);
  assert.doesNotMatch(broken.lastComplaint(), /\.cc/);
  assert.equal(sound.lastComplaint(), "");
  await soundCompiler.compileJSONSchema('{"type":"string"}', true, undefined, undefined, true);
});
