import type { EngineEvent } from "../../port/token-engine.ts";

/**
 * The events of one ticket between the engine and its one reader. What is unread is the reader's debt: the
 * engine stops decoding for it at a limit, and goes on when it pulls.
 */
export class EventQueue implements AsyncIterable<EngineEvent> {
  readonly #onPull: () => void;
  readonly #unread: EngineEvent[] = [];
  #ended = false;
  #wake = Promise.withResolvers<void>();

  constructor(onPull: () => void) {
    this.#onPull = onPull;
  }

  get unread(): number {
    return this.#unread.length;
  }

  /** Adds an event; progress that nobody has read yet is replaced by the newer one. */
  push(event: EngineEvent): void {
    if (this.#ended) return;
    if (event.type === "prefill" && this.#unread.at(-1)?.type === "prefill") this.#unread.pop();
    this.#unread.push(event);
    this.#ended = event.type === "end" || event.type === "error";
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<EngineEvent> {
    for (;;) {
      const event = this.#unread.shift();
      if (event !== undefined) {
        this.#onPull();
        yield event;
      } else if (this.#ended) return;
      else await this.#wake.promise;
    }
  }
}
