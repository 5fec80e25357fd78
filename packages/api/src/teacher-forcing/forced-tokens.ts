import type { Vocabulary } from "@slipstream-stack/inference";

/** How forced text becomes ids: as the tokenizer would, or split into the smallest tokens there are. */
export type ForcedEncoding = "canonical" | "split";

/**
 * Splits every token that is not structure into single-byte tokens where the vocabulary has them: a
 * tokenization the tokenizer would never make of the same text, as sampling at a high temperature may.
 */
export function splitTokens(ids: Uint32Array, vocabulary: Vocabulary): Uint32Array {
  const byByte = singleByteTokens(vocabulary);
  const out: number[] = [];
  for (const id of ids) {
    const piece = vocabulary.pieces[id] ?? new Uint8Array(0);
    const parts = vocabulary.structural.has(id) ? [] : [...piece].map((byte) => byByte.get(byte));
    if (parts.length < 2 || parts.includes(undefined)) out.push(id);
    else out.push(...parts.filter((part) => part !== undefined));
  }
  return Uint32Array.from(out);
}

const remembered = new WeakMap<Vocabulary, Map<number, number>>();

function singleByteTokens(vocabulary: Vocabulary): Map<number, number> {
  const before = remembered.get(vocabulary);
  if (before !== undefined) return before;
  const byByte = new Map<number, number>();
  vocabulary.pieces.forEach((piece, id) => {
    const byte = piece[0];
    if (piece.length === 1 && byte !== undefined && !vocabulary.structural.has(id)) byByte.set(byte, id);
  });
  remembered.set(vocabulary, byByte);
  return byByte;
}
