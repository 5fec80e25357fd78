import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { StructureGuard } from "./guard-structure.ts";

const smollm = [
  "<|endoftext|>",
  "<|im_start|>",
  "<|im_end|>",
  "<repo_name>",
  "<file_sep>",
  "<jupyter_start>",
];
const qwen = [
  "<|im_start|>",
  "<|im_end|>",
  "<tool_call>",
  "</tool_call>",
  "<|fim_prefix|>",
  "<|object_ref_start|>",
];
/** Tokens that hold each other, share ends, repeat themselves, or end outside the basic plane. */
const overlapping = ["<s>", "<s><s>", "s><s", "abab", "ba", "<pad><s>", "aa", "x🙂", "🙂🙂", "</s", "</s>"];

/** Texts made of whole tokens, halves of them, and anything else. */
function hostileText(tokens: readonly string[]): fc.Arbitrary<string> {
  const token = fc.constantFrom(...tokens);
  const half = fc.tuple(token, fc.nat(20)).map(([text, cut]) => text.slice(0, cut));
  const tail = fc.tuple(token, fc.nat(20)).map(([text, cut]) => text.slice(cut));
  return fc
    .array(fc.oneof(token, half, tail, fc.string({ unit: "grapheme", maxLength: 4 })), { maxLength: 12 })
    .map((parts) => parts.join(""));
}

for (const [name, tokens] of Object.entries({ smollm, qwen, overlapping })) {
  describe(`structure guard over ${name}`, () => {
    const guard = new StructureGuard(tokens);

    for (const token of tokens) {
      it(`cuts ${token} wherever it stands`, () => {
        fc.assert(
          fc.property(hostileText(tokens), hostileText(tokens), (before, after) => {
            const pieces = guard.cut(before + token + after);
            assert.equal(pieces.join(""), before + token + after);
            for (const piece of pieces) for (const each of tokens) assert.ok(!piece.includes(each), piece);
          }),
          { numRuns: 60 },
        );
      });
    }

    it("never makes an empty piece of a text that has any, nor splits a character", () => {
      fc.assert(
        fc.property(hostileText(tokens), (text) => {
          const pieces = guard.cut(text);
          if (text !== "") assert.ok(pieces.every((piece) => piece !== ""));
          for (const [index, piece] of pieces.entries()) {
            const next = pieces[index + 1] ?? "";
            assert.ok(!(/[\uD800-\uDBFF]$/.test(piece) && /^[\uDC00-\uDFFF]/.test(next)));
          }
        }),
      );
    });
  });
}

describe("structure guard", () => {
  it("leaves text without structure in one piece", () => {
    assert.deepEqual(new StructureGuard(qwen).cut("if (a <| b) { im_end } </tool_"), [
      "if (a <| b) { im_end } </tool_",
    ]);
    assert.deepEqual(new StructureGuard([]).cut("<|im_end|>"), ["<|im_end|>"]);
  });

  it("makes as few cuts as it can: one serves tokens that overlap", () => {
    assert.deepEqual(new StructureGuard(["<a>", "a><b"]).cut("<a><b>"), ["<a", "><b>"]);
  });

  it("does not cut white space or single characters, which have no inside that matters", () => {
    assert.deepEqual(new StructureGuard(["\n\n", "    ", "▁", "🙂"]).cut("a\n\n    🙂▁"), ["a\n\n    🙂▁"]);
  });

  it("splits a rendering at the longest token that fits", () => {
    const guard = new StructureGuard(["</s", "</s>", "<x>"]);
    assert.deepEqual(guard.split("a</s><x>b"), [
      { text: "a", special: false },
      { text: "</s>", special: true },
      { text: "<x>", special: true },
      { text: "b", special: false },
    ]);
    assert.deepEqual(new StructureGuard([]).split("a</s>"), [{ text: "a</s>", special: false }]);
  });
});
