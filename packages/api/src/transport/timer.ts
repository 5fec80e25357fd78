import type { Clock } from "@slipstream-stack/inference";

/** Runs `callback` once after `delayMs` on the given clock; the returned function cancels it. */
export function startTimer(clock: Clock, delayMs: number, callback: () => void): () => void {
  const controller = new AbortController();
  clock.sleep(delayMs, controller.signal).then(
    () => {
      if (!controller.signal.aborted) callback();
    },
    // Only cancelling ends the sleep early.
    () => undefined,
  );
  return () => controller.abort();
}
