/** The process as far as ending is concerned. */
export interface EndingProcess {
  on(event: string, listener: () => void): unknown;
  off(event: string, listener: () => void): unknown;
  /** Whether a starter holds the other end of a process channel. */
  readonly connected: boolean;
}

/** The wish to end, as it arrives from outside. */
export interface EndWish {
  readonly asked: Promise<string>;
  readonly urgent: AbortSignal;
  /** Gives signals and channel back; a channel with a listener keeps its process alive. */
  readonly stop: () => void;
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Resolves when the process is asked to end: by a signal, or because the one that started it is gone.
 * @returns what asked, a signal that aborts when it is asked a second time, and a way to stop listening
 */
export function endWhenAsked(source: EndingProcess): EndWish {
  const urgent = new AbortController();
  const listeners = new Map<string, () => void>();
  const asked = new Promise<string>((resolve) => {
    let count = 0;
    for (const signal of signals) {
      listeners.set(signal, () => {
        count += 1;
        if (count > 1) urgent.abort();
        resolve(signal);
      });
    }
    if (source.connected) listeners.set("disconnect", () => resolve("disconnect"));
  });
  for (const [event, listener] of listeners) source.on(event, listener);
  const stop = (): void => {
    for (const [event, listener] of listeners) source.off(event, listener);
  };
  return { asked, urgent: urgent.signal, stop };
}
