/** Time as the transports see it, so that limits of minutes can be tested in milliseconds. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds on a clock that never jumps; for durations. */
  monotonic(): number;
  /** Runs `callback` once after `delayMs`; the returned function cancels it. Never keeps the process alive. */
  after(delayMs: number, callback: () => void): () => void;
}

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
