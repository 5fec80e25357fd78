import type { RetentionHint } from "../port/token-engine.ts";

/** What a policy sees of an idle stretch of held state. Times are milliseconds of the engine's clock. */
export interface RetentionEntry {
  readonly lastUsed: number;
  readonly hint: RetentionHint["kind"] | null;
  /** A wish of the request that left it, valid until a time. */
  readonly retain: { readonly priority: number; readonly until: number } | null;
}

/** Decides what goes first when room is needed. It orders and never pins. */
export interface RetentionPolicy {
  readonly id: string;
  /** Negative where `first` goes before `second`. A pure function of its arguments. */
  compare(first: RetentionEntry, second: RetentionEntry, now: number): number;
}
