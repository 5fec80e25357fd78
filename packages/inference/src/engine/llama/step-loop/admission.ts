import { extendsTip, matchPlanned, matchPrefix, type PrefixMatch } from "../sequences/match-prefix.ts";
import { isResident, shareable } from "../sequences/sequence.ts";
import type { SequenceTable } from "../sequences/sequence-table.ts";
import type { LoopOptions } from "./loop-options.ts";
import { deterministicStart } from "./plan-step.ts";
import { pendingTokens, type RunningRequest } from "./running-request.ts";

/** Cells that a request may still need beyond what it holds: its prompt, and some of its output. */
export function outstandingCells(request: RunningRequest, outputReserve: number): number {
  const output = Math.min(request.job.decode.maxTokens - request.sampled, outputReserve);
  return pendingTokens(request) + Math.max(0, output);
}

/** Cells that a prompt takes beyond the resident base it shares; a parked base comes back whole before it is cut. */
export function cellsToStart(promptLength: number, base: PrefixMatch | null): number {
  if (base === null) return promptLength;
  if (isResident(base.sequence)) return promptLength - base.length;
  return Math.max(promptLength, base.sequence.evaluated);
}

/** By priority, then arrival: who is admitted or resumed first; the last is parked first. */
export function byPrecedence(a: RunningRequest, b: RunningRequest): number {
  return b.job.priority - a.job.priority || a.order - b.order;
}

/** The best base for a waiting request, or "wait" while a running prefill is about to hold more of it. */
export function chooseBase(
  request: RunningRequest,
  table: SequenceTable,
  options: LoopOptions & { readonly batchSize: number },
  now: number,
): PrefixMatch | "wait" | null {
  const { job, waitingFor } = request;
  if (!job.useCache) return null;
  if (waitingFor !== null && stillWaiting(request, now)) return "wait";
  request.waitingFor = null;
  const match = matchPrefix(table.all, job.root, job.prompt, 1, job.mayFork);
  const planned =
    request.mayWait && job.mayFork
      ? matchPlanned(table.all, job.root, job.prompt, match?.length ?? 0, options.worthWaiting)
      : null;
  if (planned !== null) {
    request.waitingFor = { match: planned, until: now + options.longestWaitMs };
    return "wait";
  }
  if (match === null || !options.deterministic) return match;
  const length = deterministicStart(match.length, job.prompt.length, options.batchSize);
  const cut = { ...match, length };
  return length > 0 && (job.mayFork || extendsTip(cut)) ? cut : null;
}

function stillWaiting(request: RunningRequest, now: number): boolean {
  if (request.waitingFor === null) return false;
  const { match, until } = request.waitingFor;
  if (now >= until) {
    // One bounded wait per request: afterwards it takes what there is.
    request.mayWait = false;
    return false;
  }
  return match.sequence.owner !== null && shareable(match.sequence) < match.planned;
}
