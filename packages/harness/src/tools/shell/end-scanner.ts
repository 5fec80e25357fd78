const empty = Buffer.alloc(0);

/**
 * Separates a command's output from the mark of its end, wherever chunks are cut. Bytes that may be the
 * beginning of the mark are held back until it is clear.
 */
export class EndScanner {
  readonly #mark: Buffer;
  readonly #onOutput: (bytes: Buffer) => void;
  #held: Buffer = empty;
  #afterMark: Buffer | null = null;

  constructor(mark: string, onOutput: (bytes: Buffer) => void) {
    this.#mark = Buffer.from(mark);
    this.#onOutput = onOutput;
  }

  /** The exit code once the whole mark has come, else null. */
  push(chunk: Buffer): number | null {
    if (this.#afterMark !== null) return this.#readCode(chunk);
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const at = bytes.indexOf(this.#mark);
    if (at >= 0) {
      this.#onOutput(bytes.subarray(0, at));
      this.#held = empty;
      this.#afterMark = empty;
      return this.#readCode(bytes.subarray(at + this.#mark.length));
    }
    const keep = this.#possibleStart(bytes);
    if (keep < bytes.length) this.#onOutput(bytes.subarray(0, bytes.length - keep));
    this.#held = Buffer.from(bytes.subarray(bytes.length - keep));
    return null;
  }

  /** How many of the last bytes the mark may begin with. */
  #possibleStart(bytes: Buffer): number {
    for (let length = Math.min(bytes.length, this.#mark.length - 1); length > 0; length--) {
      if (this.#mark.subarray(0, length).equals(bytes.subarray(bytes.length - length))) return length;
    }
    return 0;
  }

  #readCode(bytes: Buffer): number | null {
    const all = Buffer.concat([this.#afterMark ?? empty, bytes]);
    this.#afterMark = all;
    const end = all.indexOf(10);
    return end < 0 ? null : Number(all.subarray(0, end).toString("latin1"));
  }
}
