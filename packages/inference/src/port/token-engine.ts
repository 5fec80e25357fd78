import type { DecodeProgram } from "./decode-program.ts";
import type { KvEvent } from "./kv-event.ts";
import type { Hash, PrefixRef, RopeView, Scope } from "./prefix.ts";
import type { Tier } from "./tier.ts";

export type EngineCapability =
  | "constraint"
  | "byteStops"
  | "forced"
  | "logprobs"
  | "exactBase"
  | "kvEvents"
  | "transfer"
  | "priority";

/** What an engine is and can do. A new `epoch` means that everything it held is gone. */
export interface EngineInfo {
  readonly driver: string;
  readonly epoch: string;
  readonly model: Hash;
  readonly tokenizer: Hash;
  readonly kvFormat: Hash | null;
  /** Tokens per block of the prefix hash. */
  readonly blockSize: number;
  /** Tokens one request may span, prompt and output together. */
  readonly contextLength: number;
  /** Tokens each tier can hold. */
  readonly capacity: Readonly<Record<Tier, number>>;
  readonly can: ReadonlySet<EngineCapability>;
}

/** Durations of one request inside the engine, in milliseconds. */
export interface EngineTimings {
  readonly queue: number;
  readonly prefill: number;
  readonly decode: number;
}

export interface EngineRequest {
  readonly id: string;
  readonly scope: Scope;
  /** Groups the requests of one conversation, for routing and fairness. */
  readonly session: Hash;
  readonly prompt: RopeView;
  readonly decode: DecodeProgram;
  /** Higher runs first; 0 is usual. */
  readonly priority: number;
  /** Milliseconds from submission after which it is cancelled. */
  readonly deadlineMs?: number;
  /** False evaluates every token anew and leaves nothing behind (law 9: `prefix_reuse` off). */
  readonly useCache: boolean;
  /**
   * False: what is held serves only where all of it is extended and nobody else uses it; no prefix is shared
   * with another sequence or copied from one (law 9: `fork` off). Default true.
   */
  readonly mayFork?: boolean;
  /** Prefill goes on and is kept when the client has gone. */
  readonly outliveClient: boolean;
  /** The result waits for `settle`. A gated ticket past its lease counts as refused. */
  readonly gated: boolean;
  readonly retain?: { readonly priority: number; readonly seconds: number };
}

export type EngineErrorCode =
  | "engine_restarting"
  | "engine_failed"
  | "base_gone"
  | "out_of_kv"
  /** From the door, never from an engine: too many requests wait already. */
  | "queue_full"
  | "cancelled"
  | "invalid_request";

/** What a ticket tells, in this order: admitted, prefill*, tokens*, and exactly one of end and error. */
export type EngineEvent =
  | {
      readonly type: "admitted";
      /** Tokens not evaluated in this request, by where they lay: exact, no minimum, no rounding. */
      readonly cached: Readonly<Record<Tier, number>>;
      readonly queueMs: number;
      readonly missCause: string | null;
    }
  | { readonly type: "prefill"; readonly done: number; readonly total: number }
  /** One per step. A stop token comes too; the end event's `keep` says what belongs to the output. */
  | { readonly type: "tokens"; readonly ids: Uint32Array; readonly logprobs?: Float32Array }
  | {
      readonly type: "end";
      readonly reason: "stop" | "length" | "cancelled";
      /** Index into stopTokens then stopBytes of the rule that fired, or null. */
      readonly rule: number | null;
      /** How many of the sampled ids belong to the output. */
      readonly keep: number;
      /** What is held after truncation to prompt + keep; null where nothing is. */
      readonly held: PrefixRef | null;
      /** Rows evaluated, those evaluated twice counted twice. */
      readonly evaluated: number;
      readonly ms: EngineTimings;
    }
  | {
      readonly type: "error";
      readonly code: EngineErrorCode;
      readonly message: string;
      readonly retryable: boolean;
      readonly evaluated: number;
    };

/**
 * One running request. Pulling events is the credit. Disposing cancels what still runs, save prefill of an
 * `outliveClient` request, and gives up the lease: as when the lease runs out, an ungated result stays held,
 * and of a gated one that was not settled only the prompt.
 */
export interface Ticket extends AsyncDisposable {
  readonly events: AsyncIterable<EngineEvent>;
  /**
   * Takes effect at the end of the running step. A request that had not begun ends with the error `cancelled`,
   * any other with `end` and what it holds by then. Prefill of an `outliveClient` request goes on.
   */
  cancel(): void;
  /**
   * Says how much of what is held stays: a prefix of `held`, or `null` to free the output (refused); the
   * prompt then stays, it was the client's own. Said before the end, it takes effect there; only the first
   * call counts.
   */
  settle(keep: PrefixRef | null): void;
}

/** Gauges of one engine: counts in tokens or bytes, never contents. */
export interface LoadReport {
  readonly running: number;
  readonly waiting: number;
  readonly parked: number;
  readonly kvTokensUsed: number;
  readonly kvTokensCapacity: number;
  readonly parkedBytes: number;
  readonly parkedBytesLimit: number;
  /** Prompt tokens accepted and not yet evaluated. */
  readonly uncachedTokensWaiting: number;
  /** Totals since the epoch began. */
  readonly tokensPrefilled: number;
  readonly tokensDecoded: number;
  readonly steps: number;
}

/** A hint about a prefix's future: demote first, or keep longer. Hints never pin. */
export interface RetentionHint {
  readonly kind: "dead" | "idle" | "soon";
  readonly expectedGapMs?: number;
}

/**
 * An engine that evaluates token ids. `submit` never rejects; every ticket yields exactly one `end` or
 * `error`. Everything else is asked by capability, never by driver name.
 */
export interface TokenEngine {
  info(): EngineInfo;
  submit(request: EngineRequest): Ticket;
  load(): LoadReport;
  hint(scope: Scope, prefix: PrefixRef, hint: RetentionHint): void;
  kvEvents(from: { readonly epoch: string; readonly seq: bigint } | null): AsyncIterable<KvEvent>;
  /** Stops taking requests, lets running ones finish for at most `drainMs`, then ends. */
  close(drainMs: number): Promise<void>;
}
