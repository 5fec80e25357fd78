/** A short text in shared memory: one word for its length in bytes, then UTF-8, cut at the room there is. */
export class SharedText {
  readonly #length: Int32Array;
  readonly #bytes: Uint8Array;

  /** `words` Int32 words of `buffer` from word `at`. */
  constructor(buffer: SharedArrayBuffer, at: number, words: number) {
    this.#length = new Int32Array(buffer, at * 4, 1);
    this.#bytes = new Uint8Array(buffer, (at + 1) * 4, (words - 1) * 4);
  }

  get(): string {
    return Buffer.from(this.#bytes.slice(0, Atomics.load(this.#length, 0))).toString("utf8");
  }

  set(text: string): void {
    const scratch = new Uint8Array(this.#bytes.length);
    const { written } = new TextEncoder().encodeInto(text, scratch);
    this.#bytes.set(scratch);
    Atomics.store(this.#length, 0, written);
  }
}
