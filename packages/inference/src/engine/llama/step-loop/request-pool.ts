import { isOutside, prefillLeft, type RunningRequest } from "./running-request.ts";

/** The requests that have not ended. */
export class RequestPool {
  readonly #requests = new Map<string, RunningRequest>();

  get(id: string): RunningRequest | undefined {
    return this.#requests.get(id);
  }

  add(request: RunningRequest): void {
    this.#requests.set(request.job.id, request);
  }

  remove(request: RunningRequest): void {
    this.#requests.delete(request.job.id);
  }

  /** All of them at this moment; they may be removed meanwhile. */
  all(): RunningRequest[] {
    return [...this.#requests.values()];
  }

  /** Those whose sequence is in the cache. */
  active(): RunningRequest[] {
    return this.all().filter(({ sequence }) => sequence !== null && sequence.slot !== null);
  }

  /** Those that could be admitted or resumed. */
  outside(): RunningRequest[] {
    return this.all().filter(isOutside);
  }

  /** Requests by state, for gauges. */
  counts(): { running: number; waiting: number; uncachedTokens: number } {
    let running = 0;
    let uncachedTokens = 0;
    for (const request of this.#requests.values()) {
      if (request.sequence !== null) running += 1;
      uncachedTokens += prefillLeft(request);
    }
    return { running, waiting: this.#requests.size - running, uncachedTokens };
  }
}
