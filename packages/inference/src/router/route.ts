/** What the router knows of one replica when a request comes; counts in tokens. */
export interface WorkerView {
  readonly id: string;
  /** Tokens of this prompt that the replica is believed to hold. */
  readonly held: number;
  /** Prompt tokens it has accepted and not evaluated. */
  readonly uncachedWaiting: number;
  /** Whether a further request would have to wait there. */
  readonly saturated: boolean;
}

/** Why a replica was chosen. */
export type RouteReason = "only_worker" | "session_home" | "most_held" | "least_waiting";

/** Where a request goes and why: kept with the request, so that every decision can be explained. */
export interface RouteDecision {
  readonly worker: string;
  readonly reason: RouteReason;
  /** Tokens the router believes are held there. */
  readonly predictedCached: number;
}

/**
 * Places one request: on its session's home while that is not saturated, else where most of the prompt is
 * held, else where the fewest uncached tokens wait. Saturated replicas are used only when all are. Pure.
 * Throws `RangeError` without workers.
 */
export function route(workers: readonly WorkerView[], home: string | null): RouteDecision {
  const [only] = workers;
  if (only === undefined) throw new RangeError("route needs at least one worker");
  if (workers.length === 1) return decide(only, "only_worker");
  const free = workers.filter((worker) => !worker.saturated);
  const candidates = free.length > 0 ? free : workers;
  const atHome = candidates.find((worker) => worker.id === home);
  if (atHome !== undefined) return decide(atHome, "session_home");
  const best = candidates.reduce((chosen, worker) => (isBetter(worker, chosen) ? worker : chosen));
  return decide(best, best.held > 0 ? "most_held" : "least_waiting");
}

function isBetter(worker: WorkerView, chosen: WorkerView): boolean {
  if (worker.held !== chosen.held) return worker.held > chosen.held;
  return worker.uncachedWaiting < chosen.uncachedWaiting;
}

function decide(worker: WorkerView, reason: RouteReason): RouteDecision {
  return { worker: worker.id, reason, predictedCached: worker.held };
}
