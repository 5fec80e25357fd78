import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { InferenceError } from "../../errors.ts";
import { SimulatedTokenizer } from "./simulated-tokenizer.ts";
import { simulatedVocabulary, structuralTokens } from "./simulated-vocabulary.ts";

const plain = (text: string) => ({ text, special: false });

async function encodeOne(text: string, special = false): Promise<number[]> {
  const [ids] = await new SimulatedTokenizer().encode([{ text, special }]);
  return [...(ids ?? [])];
}

function bytesOf(ids: readonly number[]): Buffer {
  return Buffer.concat(ids.map((id) => simulatedVocabulary.pieces[id]!));
}

const textLike = fc.oneof(
  fc.string({ unit: "binary" }),
  fc
    .array(
      fc.constantFrom(...structuralTokens, " the", " of the", "tion", "<|im_", "end|>", "é", "👩‍🚀", "\n"),
    )
    .map((parts) => parts.join("")),
);

test("ids give back the text's own bytes, whatever the text", async () => {
  await fc.assert(
    fc.asyncProperty(textLike, async (text) => {
      assert.deepEqual(bytesOf(await encodeOne(text)), Buffer.from(text));
    }),
  );
});

test("no plain text yields a structural token, not even one that spells it", async () => {
  await fc.assert(
    fc.asyncProperty(textLike, async (text) => {
      const ids = await encodeOne(text);
      assert.ok(ids.every((id) => !simulatedVocabulary.structural.has(id)));
    }),
  );
});

test("every structural token is one id as a special segment, and its own bytes are its text", async () => {
  for (const text of structuralTokens) {
    const [id, ...more] = await encodeOne(text, true);
    assert.equal(more.length, 0);
    assert.equal(simulatedVocabulary.structural.get(id!), text);
    assert.equal(bytesOf([id!]).toString(), text);
  }
});

test("a special segment that is no structural token is an error with a code", async () => {
  for (const text of ["", "hello", "<|im_start|>user", "<tool_call><tool_call>"]) {
    await assert.rejects(encodeOne(text, true), (error) => {
      return InferenceError.isInstance(error) && error.code === "token_unknown";
    });
  }
});

test("nothing merges across segments, and the longest piece wins inside one", async () => {
  const tokenizer = new SimulatedTokenizer();
  const [whole] = await tokenizer.encode([plain(" of the")]);
  const [first, second] = await tokenizer.encode([plain(" of"), plain(" the")]);
  assert.equal(whole?.length, 1);
  assert.deepEqual([first?.length, second?.length], [1, 1]);
});

test("some texts have other tokenizations than the canonical one", () => {
  const canonical = simulatedVocabulary.encodeBytes(Buffer.from(" of the"));
  const other = [
    ...simulatedVocabulary.encodeBytes(Buffer.from(" of")),
    ...simulatedVocabulary.encodeBytes(Buffer.from(" the")),
  ];
  assert.notDeepEqual(canonical, other);
  assert.deepEqual(bytesOf(canonical), bytesOf(other));
});

test("the tokenizer counts the ids it returns", async () => {
  const tokenizer = new SimulatedTokenizer();
  const encoded = await tokenizer.encode([
    plain("return value"),
    { text: "<|im_end|>", special: true },
    plain(""),
  ]);
  assert.equal(
    tokenizer.encodedTokens,
    encoded.reduce((sum, ids) => sum + ids.length, 0),
  );
});

test("the vocabulary is of a useful size, without double pieces, and has a stable fingerprint", () => {
  const texts = simulatedVocabulary.pieces.map((piece) => Buffer.from(piece).toString("latin1"));
  assert.ok(texts.length > 2000 && texts.length < 4000);
  assert.equal(new Set(texts).size, texts.length);
  assert.equal(new SimulatedTokenizer().fingerprint, new SimulatedTokenizer().fingerprint);
  for (const id of simulatedVocabulary.endOfGeneration) assert.ok(simulatedVocabulary.structural.has(id));
});
