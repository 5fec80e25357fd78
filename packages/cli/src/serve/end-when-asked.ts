/** The process as far as ending is concerned. */
export interface EndingProcess {
  on(event: string, listener: () => void): unknown;
  off(event: string, listener: () => void): unknown;
  /** Whether a starter holds the other end of a process channel. */
  readonly connected: boolean;
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Resolves when the process is asked to end: by a signal, or because the one that started it is gone.
 * @returns what asked, and a signal that aborts when it is asked a second time
 */
export function endWhenAsked(source: EndingProcess): {
  readonly asked: Promise<string>;
  readonly urgent: AbortSignal;
} {
  const urgent = new AbortController();
  const asked = new Promise<string>((resolve) => {
    let count = 0;
    for (const signal of signals) {
      source.on(signal, () => {
        count += 1;
        if (count > 1) urgent.abort();
        resolve(signal);
      });
    }
    if (source.connected) source.on("disconnect", () => resolve("disconnect"));
  });
  return { asked, urgent: urgent.signal };
}
