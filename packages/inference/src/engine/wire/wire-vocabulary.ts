import type { Vocabulary } from "../../port/tokenizer.ts";
import type { WireVocabulary } from "./messages.ts";

/** Packs a vocabulary for the wire. */
export function packVocabulary(vocabulary: Vocabulary): WireVocabulary {
  return {
    pieceBytes: Buffer.concat(vocabulary.pieces),
    pieceLengths: Uint32Array.from(vocabulary.pieces, (piece) => piece.length),
    structural: [...vocabulary.structural],
    endOfGeneration: vocabulary.endOfGeneration,
    beginOfText: vocabulary.beginOfText,
    addBeginOfText: vocabulary.addBeginOfText,
  };
}

/** The inverse of `packVocabulary`. */
export function unpackVocabulary(wire: WireVocabulary): Vocabulary {
  // Its own copy: pieces outlive the frame they came in.
  const bytes = Uint8Array.from(wire.pieceBytes);
  const pieces: Uint8Array[] = [];
  let offset = 0;
  for (const length of wire.pieceLengths) {
    pieces.push(bytes.subarray(offset, offset + length));
    offset += length;
  }
  return {
    pieces,
    structural: new Map(wire.structural),
    endOfGeneration: wire.endOfGeneration,
    beginOfText: wire.beginOfText,
    addBeginOfText: wire.addBeginOfText,
  };
}
