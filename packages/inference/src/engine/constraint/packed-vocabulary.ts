import type { Vocabulary } from "../../port/tokenizer.ts";
import type { PackedVocabulary } from "./constraint-message.ts";

type Pieces = Pick<Vocabulary, "pieces" | "structural" | "endOfGeneration">;

/** Lays the pieces end to end in shared memory. */
export function packVocabulary(vocabulary: Pieces): PackedVocabulary {
  const { pieces, structural, endOfGeneration } = vocabulary;
  const total = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const bytes = new Uint8Array(new SharedArrayBuffer(total));
  const ends = new Uint32Array(new SharedArrayBuffer(pieces.length * 4));
  let end = 0;
  pieces.forEach((piece, id) => {
    bytes.set(piece, end);
    end += piece.length;
    ends[id] = end;
  });
  return { bytes, ends, structural, endOfGeneration };
}

/** The vocabulary again; its pieces are views on the packed bytes. */
export function unpackVocabulary(packed: PackedVocabulary): Pieces {
  const pieces: Uint8Array[] = [];
  let start = 0;
  for (const end of packed.ends) {
    pieces.push(packed.bytes.subarray(start, end));
    start = end;
  }
  return { pieces, structural: packed.structural, endOfGeneration: packed.endOfGeneration };
}
