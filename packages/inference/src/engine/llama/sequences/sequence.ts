import type { TokenLog } from "./token-log.ts";

/** A stretch of evaluated tokens: in the cache (`slot`), parked in RAM (`state`), or nowhere yet. */
export interface Sequence {
  /** Every token meant to stand here; those of a running prompt before they are evaluated, too. */
  readonly tokens: TokenLog;
  /** Tokens `[0, evaluated)` have been evaluated and are held. */
  evaluated: number;
  /** Its number in the evaluator, or null where it is not resident. */
  slot: number | null;
  state: Uint8Array | null;
  /** The running request that extends it; null while idle. */
  owner: string | null;
  /** Counts its owners, so that a former one loses its say. */
  tenancy: number;
  /** Logical time of the last use. */
  usedAt: number;
  /** Kept longer than what has less priority, until this time in milliseconds. */
  retain: { readonly priority: number; readonly until: number } | null;
  /** Tokens that other requests may match: none of a private one, the prompt of an unsettled one. */
  visible: number;
  /** Whole blocks told to the block ledger, in the tier where it now lies. */
  announced: number;
}

/** Tokens of a sequence that another request can share now. */
export function shareable(sequence: Sequence): number {
  return Math.min(sequence.evaluated, sequence.visible);
}

export function isResident(sequence: Sequence): sequence is Sequence & { slot: number } {
  return sequence.slot !== null;
}
