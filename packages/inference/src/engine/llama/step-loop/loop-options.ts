import type { Constraint } from "../../../port/decode-program.ts";
import type { EngineEvent } from "../../../port/token-engine.ts";
import type { ConstraintSession } from "../../constraint/constraint-session.ts";
import type { SequenceLimits } from "../sequences/sequence-table.ts";
import type { PlanOptions } from "./plan-step.ts";

export interface LoopOptions extends SequenceLimits, Omit<PlanOptions, "batchSize"> {
  /** Tokens one request may span. */
  readonly contextLength: number;
  /** Tokens kept free for the output of a request when it is admitted. */
  readonly outputReserve: number;
  /** Tokens that a shared prefix must at least bring for a request to wait for it. */
  readonly worthWaiting: number;
  /** Longest wait for a shared prefix, milliseconds. */
  readonly longestWaitMs: number;
  /** Milliseconds that an ended, unsettled request keeps its say over what is held. */
  readonly leaseMs: number;
}

export const defaultLoopOptions = {
  mixedChunk: 128,
  decodeStepsBetween: 3,
  deterministic: false,
  hotIdleTokens: 2_048,
  outputReserve: 64,
  worthWaiting: 64,
  longestWaitMs: 30_000,
  leaseMs: 60_000,
} as const;

/** The effects of the step loop. */
export interface LoopPorts {
  /** Monotonic clock, milliseconds. */
  readonly now: () => number;
  /** A seed for requests that bring none. */
  readonly drawSeed: () => number;
  /** Bytes of a token id. */
  readonly piece: (id: number) => Uint8Array;
  readonly openConstraints: (constraints: readonly Constraint[]) => ConstraintSession;
  /** Told the ids of the batch about to run, and none when it has ended. */
  readonly watchBatch: (ids: readonly string[]) => void;
  readonly emit: (id: string, event: EngineEvent) => void;
}
