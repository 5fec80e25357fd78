import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { TokenBytes } from "./token-bytes.ts";

const encoder = new TextEncoder();

describe("TokenBytes", () => {
  it("finds the least tokens that cover a byte offset, and says whether one ends there", () => {
    const words = fc.array(fc.string({ minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(words, fc.nat(), (texts, at) => {
        const pieces = texts.map((text) => encoder.encode(text));
        const vocabulary = {
          pieces,
          structural: new Map(),
          endOfGeneration: [],
          beginOfText: null,
          addBeginOfText: false,
        };
        const tokens = new TokenBytes(vocabulary);
        const bytes = tokens.push(Uint32Array.from(texts.keys()));
        assert.deepEqual(
          [...bytes],
          pieces.flatMap((piece) => [...piece]),
        );
        const offset = at % (bytes.length + 1);
        const ends: number[] = [];
        for (const piece of pieces) ends.push((ends.at(-1) ?? 0) + piece.length);
        const found = tokens.at(offset);
        const expected = offset === 0 ? 0 : ends.findIndex((end) => end >= offset) + 1;
        assert.deepEqual(found, { tokens: expected, aligned: offset === 0 || ends.includes(offset) });
      }),
    );
  });
});
