import type { Clock } from "../ports/clock.ts";

/**
 * Calls back when nothing has happened for a while. A sign of life only notes the time: the timer is set
 * again when it fires, not at each event.
 */
export class IdleWatch {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #onIdle: () => void;
  #lastSign: number;
  #cancel: () => void;

  constructor(clock: Clock, limitMs: number, onIdle: () => void) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#onIdle = onIdle;
    this.#lastSign = clock.now();
    this.#cancel = this.#arm(limitMs);
  }

  sign(): void {
    this.#lastSign = this.#clock.now();
  }

  stop(): void {
    this.#cancel();
  }

  #arm(milliseconds: number): () => void {
    return this.#clock.after(milliseconds, () => {
      const left = this.#lastSign + this.#limitMs - this.#clock.now();
      if (left <= 0) this.#onIdle();
      else this.#cancel = this.#arm(left);
    });
  }
}
