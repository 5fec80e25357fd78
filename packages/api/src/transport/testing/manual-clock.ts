import type { Clock } from "@slipstream-stack/inference";

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

/** A clock that stands still until it is moved. */
export class ManualClock implements Clock {
  #now = 0;
  readonly #sleepers = new Set<Sleeper>();

  now(): number {
    return this.#now;
  }

  wallClock(): number {
    return 1_800_000_000_000 + this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const sleeper: Sleeper = { at: this.#now + ms, wake: resolve };
    this.#sleepers.add(sleeper);
    signal?.addEventListener("abort", () => {
      this.#sleepers.delete(sleeper);
      reject(signal.reason as Error);
    });
    return promise;
  }

  /** Moves on, waking sleepers in order and letting each run before the next. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      const next = [...this.#sleepers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#sleepers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.wake();
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#now = end;
  }
}
