/** What the queue orders by. */
export interface Queued {
  /** Higher runs first. */
  readonly priority: number;
}

export interface AdmissionLimits {
  /** Requests inside the engine at once. */
  readonly maxInFlight: number;
  /** Requests that wait for one of those places. */
  readonly maxWaiting: number;
}

/** The bounded line before one engine: by priority, first come first served within. Holds no clock and no I/O. */
export class AdmissionQueue<Entry extends Queued> {
  readonly #limits: AdmissionLimits;
  readonly #waiting: Entry[] = [];
  #inFlight = 0;

  constructor(limits: AdmissionLimits) {
    this.#limits = limits;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Whether another request would have to wait. */
  get saturated(): boolean {
    return this.#inFlight >= this.#limits.maxInFlight;
  }

  /** `run`: it has a place, to be given back by `release`. `wait`: `release` will return it. `full`: neither. */
  offer(entry: Entry): "run" | "wait" | "full" {
    if (!this.saturated) {
      this.#inFlight++;
      return "run";
    }
    if (this.#waiting.length >= this.#limits.maxWaiting) return "full";
    const after = this.#waiting.findIndex((other) => other.priority < entry.priority);
    this.#waiting.splice(after < 0 ? this.#waiting.length : after, 0, entry);
    return "wait";
  }

  /** Gives a place back; the entry returned has it now. */
  release(): Entry | null {
    const next = this.#waiting.shift();
    if (next !== undefined) return next;
    this.#inFlight = Math.max(0, this.#inFlight - 1);
    return null;
  }

  /** Takes a waiting entry out of the line; false where it does not wait. */
  withdraw(entry: Entry): boolean {
    const index = this.#waiting.indexOf(entry);
    if (index >= 0) this.#waiting.splice(index, 1);
    return index >= 0;
  }
}
