import { setImmediate, setTimeout } from "node:timers/promises";

/** Time as logic sees it: always an argument, so that tests move it by hand. */
export interface Clock {
  /** Milliseconds on a clock that only moves forward; its zero means nothing. */
  now(): number;
  /** Milliseconds since 1970. */
  wallClock(): number;
  /**
   * Resolves after `ms`; 0 lets pending input and output go first. Rejects with the signal's reason as soon
   * as that aborts.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => performance.now(),
  wallClock: () => Date.now(),
  async sleep(ms, signal) {
    signal?.throwIfAborted();
    try {
      if (ms <= 0) await setImmediate(undefined, { signal });
      else await setTimeout(ms, undefined, { signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  },
};
