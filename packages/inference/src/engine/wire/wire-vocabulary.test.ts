import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeFrame, FrameDecoder } from "./frame.ts";
import type { WireVocabulary } from "./messages.ts";
import { packVocabulary, unpackVocabulary } from "./wire-vocabulary.ts";

test("a vocabulary survives the wire, empty and partial pieces included", () => {
  const vocabulary = {
    pieces: [new TextEncoder().encode("<end>"), Uint8Array.of(), Uint8Array.of(0xe2, 0x82), Uint8Array.of(0)],
    structural: new Map([[0, "<end>"]]),
    endOfGeneration: [0],
    beginOfText: null,
    addBeginOfText: false,
  };
  const [wire] = new FrameDecoder().push(encodeFrame(packVocabulary(vocabulary)));
  const unpacked = unpackVocabulary(wire as WireVocabulary);
  assert.deepEqual(
    unpacked.pieces.map((piece) => [...piece]),
    vocabulary.pieces.map((piece) => [...piece]),
  );
  assert.deepEqual({ ...unpacked, pieces: [] }, { ...vocabulary, pieces: [] });
});
