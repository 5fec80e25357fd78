import type { Hash } from "../../../port/prefix.ts";
import type { Vocabulary } from "../../../port/tokenizer.ts";
import type { LlamaFunctions } from "../library/functions.ts";
import type { ModelPointer, VocabularyPointer } from "../library/pointer.ts";
import { identityHash } from "./model-fingerprint.ts";

const controlAttribute = 1 << 3;
const userDefinedAttribute = 1 << 4;

/**
 * Reads the whole vocabulary. Structural are control tokens and user-defined ones, save those made only of white
 * space (Gemma's runs of newlines): they are ordinary text.
 */
export function readVocabulary(llama: LlamaFunctions, model: ModelPointer): Vocabulary {
  const vocabulary = llama.getVocabulary(model);
  const size = llama.vocabularySize(vocabulary);
  const pieces: Uint8Array[] = [];
  const structural = new Map<number, string>();
  const endOfGeneration: number[] = [];
  const readPiece = pieceReader(llama, vocabulary);
  for (let id = 0; id < size; id += 1) {
    const piece = readPiece(id);
    pieces.push(piece);
    if (llama.isEndOfGeneration(vocabulary, id)) endOfGeneration.push(id);
    if ((llama.tokenAttributes(vocabulary, id) & (controlAttribute | userDefinedAttribute)) === 0) continue;
    const text = Buffer.from(piece).toString("utf8");
    if (text.trim() !== "") structural.set(id, text);
  }
  const begin = llama.beginOfText(vocabulary);
  return {
    pieces,
    structural,
    endOfGeneration,
    beginOfText: begin < 0 ? null : begin,
    addBeginOfText: llama.addsBeginOfText(vocabulary),
  };
}

function pieceReader(llama: LlamaFunctions, vocabulary: VocabularyPointer): (id: number) => Uint8Array {
  let buffer = Buffer.alloc(256);
  return (id) => {
    let length = llama.tokenToPiece(vocabulary, id, buffer, buffer.length, 0, true);
    if (length < 0) {
      buffer = Buffer.alloc(-length);
      length = llama.tokenToPiece(vocabulary, id, buffer, buffer.length, 0, true);
    }
    return Uint8Array.from(buffer.subarray(0, Math.max(0, length)));
  };
}

/** The identity of a tokenizer: equal for files that turn the same text into the same ids. */
export function vocabularyFingerprint(vocabulary: Vocabulary, type: number, preTokenizer: string): Hash {
  const marks = [...vocabulary.structural].map(([id, text]) => `${id}\0${text}`).join("\0");
  const lengths = Uint32Array.from(vocabulary.pieces, (piece) => piece.length);
  return identityHash(
    `slipstream/tokenizer/1 ${type} ${preTokenizer} ${vocabulary.addBeginOfText} ${vocabulary.beginOfText}`,
    marks,
    new Uint8Array(lengths.buffer),
    Buffer.concat(vocabulary.pieces),
  );
}
