import type { Clock } from "@slipstream-stack/inference";
import type { Store } from "./store.ts";

/** How often a store is tidied, in milliseconds, and how many responses one step may take. */
export interface SweepPace {
  readonly intervalMs: number;
  readonly limit: number;
}

const defaultPace: SweepPace = { intervalMs: 60_000, limit: 200 };

/** Sweeps until nothing is left to take, step by step, so that commits get their turn in between. */
async function sweepAll(store: Store, clock: Clock, limit: number, signal: AbortSignal): Promise<void> {
  for (;;) {
    const { more } = await store.sweep(clock.wallClock(), limit);
    if (!more) return;
    await clock.sleep(0, signal);
  }
}

/**
 * Tidies a store at once and then at every interval, until `signal` aborts; then it resolves. A sweep that
 * fails is told to `onError` and tried again at the next interval.
 */
export async function sweepRegularly(
  store: Store,
  clock: Clock,
  signal: AbortSignal,
  onError: (error: unknown) => void,
  pace: SweepPace = defaultPace,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await sweepAll(store, clock, pace.limit, signal);
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
    await clock.sleep(pace.intervalMs, signal).catch(() => {});
  }
}
