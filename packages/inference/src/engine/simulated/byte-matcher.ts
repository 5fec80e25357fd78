/** A pattern found in a stream of bytes. */
export interface ByteMatch {
  readonly pattern: number;
  /** Offset of its first byte from the beginning of the stream. */
  readonly start: number;
}

/** Finds byte strings in a stream that arrives in pieces, across their borders too. */
export class ByteMatcher {
  readonly #patterns: readonly Buffer[];
  readonly #overlap: number;
  #window: Buffer = Buffer.alloc(0);
  #length = 0;

  /** Empty patterns never match. */
  constructor(patterns: readonly Uint8Array[]) {
    this.#patterns = patterns.map((pattern) => Buffer.from(pattern));
    this.#overlap = Math.max(1, ...patterns.map((pattern) => pattern.length)) - 1;
  }

  /** The match that begins first among those that end within `bytes`. */
  push(bytes: Uint8Array): ByteMatch | null {
    const joined = Buffer.concat([this.#window, bytes]);
    const base = this.#length - this.#window.length;
    let found: ByteMatch | null = null;
    for (const [pattern, wanted] of this.#patterns.entries()) {
      if (wanted.length === 0) continue;
      const from = Math.max(0, this.#window.length - wanted.length + 1);
      const at = joined.indexOf(wanted, from);
      if (at >= 0 && (found === null || base + at < found.start)) found = { pattern, start: base + at };
    }
    this.#length += bytes.length;
    this.#window = joined.subarray(Math.max(0, joined.length - this.#overlap));
    return found;
  }
}
