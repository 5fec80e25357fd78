import type { Vocabulary } from "../../port/tokenizer.ts";
import { exceeds, intersects, removeAll, removeToken, tokenSet } from "./token-set.ts";

/** Longest run of raw spaces, tabs and line breaks a stretch may hold, bytes. */
const whitespaceLimit = 128;

const whitespace = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** Length of the whitespace run at the end of a text after `bytes`, given the length before. */
export function whitespaceRun(before: number, bytes: Uint8Array): number {
  let length = 0;
  while (length < bytes.length && whitespace.has(bytes[bytes.length - 1 - length] ?? 0)) length += 1;
  return length === bytes.length ? before + length : length;
}

/** What a mask admits. */
export interface MaskSummary {
  /** A token that adds text. */
  readonly text: boolean;
  /** A token that ends the output: the grammar may end here. */
  readonly end: boolean;
}

/** Takes from the grammar's masks what fits the grammar as text but must not be sampled. */
export class TokenMask {
  readonly #structural: ReadonlyMap<number, string>;
  readonly #structuralSet: Uint32Array;
  readonly #whitespaceSet: Uint32Array;
  readonly #endSet: Uint32Array;

  constructor(vocabulary: Pick<Vocabulary, "pieces" | "structural" | "endOfGeneration">) {
    const { pieces, structural, endOfGeneration } = vocabulary;
    const ends = new Set(endOfGeneration);
    this.#structural = new Map([...structural].filter(([id, text]) => text !== "" && !ends.has(id)));
    this.#structuralSet = tokenSet(this.#structural.keys(), pieces.length);
    this.#endSet = tokenSet(ends, pieces.length);
    const spaces: number[] = [];
    pieces.forEach((piece, id) => {
      if (piece.length > 0 && piece.every((byte) => whitespace.has(byte))) spaces.push(id);
    });
    this.#whitespaceSet = tokenSet(spaces, pieces.length);
  }

  /**
   * Narrows `mask` in place and says what is left. A structural token stays only where the grammar demands its
   * very text (a closing tag), not where any text would do (a string): structure must not come from content.
   * Past the whitespace limit a token of only whitespace goes, as small models else repeat it without end.
   * Neither rule may empty the mask.
   */
  narrow(mask: Uint32Array, spaces: number, forced: () => string): MaskSummary {
    if (intersects(mask, this.#structuralSet) && exceeds(mask, this.#structuralSet)) {
      const text = forced();
      for (const [id, token] of this.#structural) {
        if (!text.startsWith(token)) removeToken(mask, id);
      }
    }
    if (spaces >= whitespaceLimit && exceeds(mask, this.#whitespaceSet)) {
      removeAll(mask, this.#whitespaceSet);
    }
    return { text: exceeds(mask, this.#endSet), end: intersects(mask, this.#endSet) };
  }
}
