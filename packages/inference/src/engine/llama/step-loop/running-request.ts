import type { PrefixRef } from "../../../port/prefix.ts";
import type { ConstraintSession } from "../../constraint/constraint-session.ts";
import { type RandomSource, seededRandom } from "../sampling/random.ts";
import { StopMatcher } from "../sampling/stop-matcher.ts";
import type { PrefixMatch } from "../sequences/match-prefix.ts";
import type { Sequence } from "../sequences/sequence.ts";
import type { Job } from "./job.ts";
import type { PlanEntry } from "./plan-step.ts";

/** A request from its arrival to its end. Times in milliseconds of the loop's clock. */
export interface RunningRequest {
  readonly job: Job;
  /** Order of arrival. */
  readonly order: number;
  readonly random: RandomSource;
  readonly stops: StopMatcher;
  session: ConstraintSession | null;
  /** Null until it is admitted. */
  sequence: Sequence | null;
  sampled: number;
  credit: number;
  /** Rows evaluated for it. */
  evaluated: number;
  /** A copy of the logits whose sampling waits for a mask. */
  heldLogits: Float32Array | null;
  cancelled: boolean;
  /** What its client said about the result before there was one. */
  settlement: { readonly keep: PrefixRef | null } | null;
  /** Its client has given up the say over the result. */
  released: boolean;
  /** Its ticket has ended, but its prefill goes on. */
  detached: boolean;
  /** The running prefill it waits for, and until when. */
  waitingFor: { match: PrefixMatch; until: number } | null;
  mayWait: boolean;
  readonly submittedAt: number;
  admittedAt: number;
  prefilledAt: number;
}

export function createRunningRequest(
  job: Job,
  order: number,
  session: ConstraintSession | null,
  drawSeed: () => number,
  now: number,
): RunningRequest {
  return {
    job,
    order,
    random: seededRandom(job.decode.sampling.seed ?? drawSeed()),
    stops: new StopMatcher(job.decode.stopBytes),
    session,
    sequence: null,
    sampled: 0,
    credit: job.credit,
    evaluated: 0,
    heldLogits: null,
    cancelled: false,
    settlement: null,
    released: false,
    detached: false,
    waitingFor: null,
    mayWait: true,
    submittedAt: now,
    admittedAt: now,
    prefilledAt: 0,
  };
}

/** Tokens that stand but have not been evaluated. */
export function pendingTokens({ sequence }: RunningRequest): number {
  return sequence === null ? 0 : sequence.tokens.length - sequence.evaluated;
}

/** True while it evaluates one token a step; a lost prefix is prefilled again, also after the first token. */
export function isDecoding(request: RunningRequest): boolean {
  return request.sampled > 0 && pendingTokens(request) === 1;
}

/** Prompt tokens that are still to be evaluated. */
export function prefillLeft({ sequence, job }: RunningRequest): number {
  return Math.max(0, job.prompt.length - (sequence?.evaluated ?? 0));
}

/** What it would evaluate next, or null while it must wait: for the cache, a mask, or its consumer. */
export function planEntry(request: RunningRequest): PlanEntry | null {
  const { sequence, job, order } = request;
  if (sequence === null || sequence.slot === null || request.heldLogits !== null) return null;
  const pending = pendingTokens(request);
  if (pending === 0 || (request.credit <= 0 && request.sampled > 0)) return null;
  const decoding = isDecoding(request);
  return { id: job.id, pending, decoding, position: sequence.evaluated, priority: job.priority, order };
}

/** True if it could be admitted or resumed. One that waits for its consumer need not be in the cache. */
export function isOutside({ sequence, credit, sampled }: RunningRequest): boolean {
  if (sequence === null) return true;
  return sequence.slot === null && (credit > 0 || sampled === 0);
}
