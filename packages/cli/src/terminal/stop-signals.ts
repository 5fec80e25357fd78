/** Where signals arrive: the process. */
export interface SignalSource {
  on(event: string, listener: () => void): unknown;
  off(event: string, listener: () => void): unknown;
}

/** What to do when the process is asked to stop. */
export interface StopListeners {
  /** The first time. */
  readonly first: (signal: string) => void;
  /** Every time after that. */
  readonly again: () => void;
  /** Milliseconds on a clock that only moves forward. */
  readonly now: () => number;
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** A Ctrl-C reaches the whole process group, and launchers forward it besides: what follows so soon is the same one. */
const sameMs = 200;

/** Listens for signals that ask to stop, each counted once. Returns how to listen no more. */
export function listenForStops(source: SignalSource, listeners: StopListeners): () => void {
  let lastAt: number | null = null;
  const entries = signals.map((signal) => {
    const listener = (): void => {
      const now = listeners.now();
      const isSame = lastAt !== null && now - lastAt < sameMs;
      const isFirst = lastAt === null;
      if (!isSame) lastAt = now;
      if (isFirst) listeners.first(signal);
      else if (!isSame) listeners.again();
    };
    source.on(signal, listener);
    return [signal, listener] as const;
  });
  return () => {
    for (const [signal, listener] of entries) source.off(signal, listener);
  };
}
