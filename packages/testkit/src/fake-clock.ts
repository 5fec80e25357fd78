import type { Clock } from "@slipstream-stack/inference";

interface Sleeper {
  readonly due: number;
  readonly wake: () => void;
}

/** A clock that moves only when told to. A sleep of 0 is over at once. */
export class FakeClock implements Clock {
  readonly #start: number;
  #elapsed = 0;
  #sleepers: Sleeper[] = [];

  /** `start`: milliseconds since 1970. */
  constructor(start = Date.UTC(2030, 0, 1)) {
    this.#start = start;
  }

  now(): number {
    return this.#elapsed;
  }

  wallClock(): number {
    return this.#start + this.#elapsed;
  }

  /** How many sleeps are not over. */
  get sleeping(): number {
    return this.#sleepers.length;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (ms <= 0) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const sleeper = { due: this.#elapsed + ms, wake: resolve };
    const abort = () => {
      this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
      reject(signal?.reason);
    };
    this.#sleepers.push(sleeper);
    signal?.addEventListener("abort", abort, { once: true });
    try {
      await promise;
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  /** Moves time on, sleep by sleep; what each wakes has run before the next one is woken. */
  async advance(ms: number): Promise<void> {
    const until = this.#elapsed + ms;
    await settleMicrotasks();
    for (let next = this.#nextUpTo(until); next !== undefined; next = this.#nextUpTo(until)) {
      const due = next;
      this.#elapsed = Math.max(this.#elapsed, due.due);
      this.#sleepers = this.#sleepers.filter((other) => other !== due);
      due.wake();
      await settleMicrotasks();
    }
    this.#elapsed = until;
  }

  #nextUpTo(until: number): Sleeper | undefined {
    const due = this.#sleepers.filter((sleeper) => sleeper.due <= until);
    return due.length === 0
      ? undefined
      : due.reduce((first, other) => (other.due < first.due ? other : first));
  }
}

/** Lets everything run that waits for nothing but its turn. */
export function settleMicrotasks(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
