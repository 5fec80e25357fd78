import assert from "node:assert/strict";
import { test } from "node:test";
import { packVocabulary, unpackVocabulary } from "./packed-vocabulary.ts";
import { testVocabulary } from "./test-vocabulary.ts";

test("a vocabulary survives packing, its pieces in shared memory", () => {
  const packed = packVocabulary(testVocabulary);
  assert.ok(packed.bytes.buffer instanceof SharedArrayBuffer);
  const unpacked = unpackVocabulary(structuredClone(packed));
  assert.deepEqual(
    unpacked.pieces.map((piece) => [...piece]),
    testVocabulary.pieces.map((piece) => [...piece]),
  );
  assert.deepEqual(unpacked.structural, testVocabulary.structural);
  assert.deepEqual(unpacked.endOfGeneration, testVocabulary.endOfGeneration);
});
