import { listenForStops, type SignalSource } from "../terminal/stop-signals.ts";

/** The process as far as ending is concerned. */
export interface EndingProcess extends SignalSource {
  /** Whether a starter holds the other end of a process channel. */
  readonly connected: boolean;
}

/** The wish to end, as it arrives from outside. */
export interface EndWish {
  /** What asked: a signal's name, or `disconnect` when the process that started this one is gone. */
  readonly asked: Promise<string>;
  /** Aborts when it is asked a second time. */
  readonly urgent: AbortSignal;
  /** Gives signals and channel back; a channel with a listener keeps its process alive. */
  readonly stop: () => void;
}

/** Listens for the wish to end: a signal, or the end of the process that started this one. */
export function endWhenAsked(source: EndingProcess, now: () => number): EndWish {
  const urgent = new AbortController();
  const { promise: asked, resolve } = Promise.withResolvers<string>();
  const stopSignals = listenForStops(source, { first: resolve, again: () => urgent.abort(), now });
  const orphaned = (): void => resolve("disconnect");
  if (source.connected) source.on("disconnect", orphaned);
  const stop = (): void => {
    stopSignals();
    source.off("disconnect", orphaned);
  };
  return { asked, urgent: urgent.signal, stop };
}
