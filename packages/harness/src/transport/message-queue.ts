/** A queue between a socket's callbacks and one reader. After `end` or `fail` nothing more comes. */
export class MessageQueue<Message> {
  readonly #messages: Message[] = [];
  #ending: { readonly error: unknown } | null = null;
  #wake: (() => void) | null = null;

  push(message: Message): void {
    if (this.#ending !== null) return;
    this.#messages.push(message);
    this.#notify();
  }

  /** Ends the queue with an error; what was pushed before it is still read first. */
  fail(error: unknown): void {
    this.#ending ??= { error };
    this.#notify();
  }

  /**
   * The next message; rejects with the error the queue ended with, or with the signal's reason. An abort
   * leaves the messages where they are, for the reader that drains them.
   */
  async next(signal?: AbortSignal): Promise<Message> {
    const wake = (): void => this.#notify();
    signal?.addEventListener("abort", wake);
    try {
      for (;;) {
        signal?.throwIfAborted();
        const message = this.#messages.shift();
        if (message !== undefined) return message;
        if (this.#ending !== null) throw this.#ending.error;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      signal?.removeEventListener("abort", wake);
    }
  }

  #notify(): void {
    const wake = this.#wake;
    this.#wake = null;
    wake?.();
  }
}
