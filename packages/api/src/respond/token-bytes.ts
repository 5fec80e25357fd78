import type { Vocabulary } from "@slipstream-stack/inference";

/** Where a byte offset of the output falls among its tokens. */
export interface TokenOffset {
  /** Tokens whose bytes begin before the offset. */
  readonly tokens: number;
  /** Whether the offset is a token's end. */
  readonly aligned: boolean;
}

/** The sampled tokens of one output with the running count of their bytes. */
export class TokenBytes {
  readonly #vocabulary: Vocabulary;
  readonly #ids: number[] = [];
  readonly #ends: number[] = [];

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  /** Takes sampled ids and returns their bytes. */
  push(ids: Uint32Array): Uint8Array {
    const pieces = [...ids].map((id) => this.#vocabulary.pieces[id] ?? new Uint8Array(0));
    const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
    let offset = 0;
    pieces.forEach((piece, index) => {
      bytes.set(piece, offset);
      offset += piece.length;
      this.#ids.push(ids[index] ?? 0);
      this.#ends.push((this.#ends.at(-1) ?? 0) + piece.length);
    });
    return bytes;
  }

  get length(): number {
    return this.#ids.length;
  }

  ids(): Uint32Array {
    return Uint32Array.from(this.#ids);
  }

  /** The least number of tokens that cover the first `byte` bytes (binary search). */
  at(byte: number): TokenOffset {
    if (byte <= 0) return { tokens: 0, aligned: true };
    let low = 0;
    let high = this.#ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#ends[middle] ?? 0) < byte) low = middle + 1;
      else high = middle;
    }
    return { tokens: Math.min(low + 1, this.#ends.length), aligned: this.#ends[low] === byte };
  }
}
