/** How the governor judges. Times in milliseconds. */
export interface GovernorSettings {
  /** Compute time to gather before a judgement. */
  readonly windowMs: number;
  /** Below this share of the cores asked for, one thread fewer runs. */
  readonly leastShare: number;
  /** Compute time after which the full number is tried again; doubled by each trial in vain. */
  readonly firstRetryMs: number;
  readonly longestRetryMs: number;
}

export const defaultGovernorSettings: GovernorSettings = {
  windowMs: 150,
  leastShare: 0.8,
  firstRetryMs: 200,
  longestRetryMs: 3_000,
};

/**
 * Runs as many threads as the machine really gives. The library's threads wait for each other by spinning,
 * several hundred times a token: where other processes take a core away, two threads are many times slower than
 * one. The share of CPU time in wall time shows it; on a free machine nothing is ever changed.
 */
export class ThreadGovernor {
  readonly #most: number;
  readonly #settings: GovernorSettings;
  #threads: number;
  #retryMs: number;
  #cpuMs = 0;
  #wallMs = 0;
  #reducedForMs = 0;

  constructor(most: number, settings: GovernorSettings) {
    this.#most = most;
    this.#threads = most;
    this.#settings = settings;
    this.#retryMs = settings.firstRetryMs;
  }

  get threads(): number {
    return this.#threads;
  }

  /** Takes what one evaluation cost; returns the threads for the next. */
  observe(cpuMs: number, wallMs: number): number {
    this.#cpuMs += cpuMs;
    this.#wallMs += wallMs;
    if (this.#threads < this.#most) this.#reducedForMs += wallMs;
    if (this.#wallMs < this.#settings.windowMs) return this.#threads;
    this.#judge(this.#cpuMs / (this.#wallMs * this.#threads));
    this.#cpuMs = 0;
    this.#wallMs = 0;
    return this.#threads;
  }

  #judge(share: number): void {
    const { leastShare, firstRetryMs, longestRetryMs } = this.#settings;
    const isFull = this.#threads === this.#most;
    if (share < leastShare && this.#threads > 1) {
      // A machine that is taken for long is tried ever more rarely; one that was busy for a moment, soon.
      if (isFull && this.#reducedForMs > 0) this.#retryMs = Math.min(this.#retryMs * 2, longestRetryMs);
      this.#threads -= 1;
      this.#reducedForMs = 0;
    } else if (isFull) {
      this.#retryMs = firstRetryMs;
      this.#reducedForMs = 0;
    } else if (this.#reducedForMs >= this.#retryMs) {
      this.#threads = this.#most;
    }
  }
}
