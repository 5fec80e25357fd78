/** Values for one consumer. Bounded by its producer: `onPull` tells what has been taken. */
export class EventQueue<T> implements AsyncIterable<T> {
  readonly #onPull: (value: T) => void;
  #values: T[] = [];
  #ended = false;
  #wake: (() => void) | null = null;

  constructor(onPull: (value: T) => void) {
    this.#onPull = onPull;
  }

  get ended(): boolean {
    return this.#ended;
  }

  push(value: T): void {
    if (this.#ended) return;
    this.#values.push(value);
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    for (;;) {
      const value = this.#values.shift();
      if (value !== undefined) {
        this.#onPull(value);
        yield value;
      } else if (this.#ended) {
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        this.#wake = null;
      }
    }
  }
}
