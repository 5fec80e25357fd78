/** The only source of time: the loop and the transports never look at the machine's own clock. */
export interface Clock {
  /** Milliseconds on a clock that never goes back; only differences mean anything. */
  now(): number;
  /** Milliseconds since 1970, for records that people read. */
  wallTime(): number;
  /** Calls back once after so many milliseconds; the function returned cancels. */
  after(milliseconds: number, callback: () => void): () => void;
}

/** Waits; rejects with the signal's reason as soon as it aborts. */
export function sleep(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = (): void => {
      cancel();
      reject(signal.reason);
    };
    const cancel = clock.after(milliseconds, () => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    });
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
