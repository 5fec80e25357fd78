import type { InferenceErrorCode } from "../../errors.ts";
import type { ConstraintSource, DecodeProgram } from "../../port/decode-program.ts";
import type { Hash, PrefixRef } from "../../port/prefix.ts";
import type { ModelDescription } from "../../port/served-model.ts";
import type { EngineEvent, LoadReport } from "../../port/token-engine.ts";
import type { TextSegment, Vocabulary } from "../../port/tokenizer.ts";

/** Changes with every change of these messages: both ends must be of one version. */
export const wireVersion = 2;

/** A request on the wire: the prompt from token `from` on, and the prefixes believed held. */
export interface WireSubmit {
  readonly type: "submit";
  /** Number of the ticket, unique within a connection. */
  readonly id: number;
  readonly root: Hash;
  /** Prefixes of the prompt, deepest first. */
  readonly refs: readonly PrefixRef[];
  readonly from: number;
  /** Tokens `[from, end)` of the prompt. */
  readonly tail: Uint32Array;
  readonly decode: DecodeProgram;
  readonly priority: number;
  readonly useCache: boolean;
  readonly mayFork: boolean;
  readonly outliveClient: boolean;
  readonly gated: boolean;
  /** Keep what it leaves longer than what has less priority, for so many seconds. */
  readonly retain: { readonly priority: number; readonly seconds: number } | null;
  readonly credit: number;
}

export type ToChild =
  | { readonly type: "hello"; readonly version: number; readonly key: string }
  | WireSubmit
  /** Tokens `[have, from)` that the engine asked for. */
  | { readonly type: "missing"; readonly id: number; readonly ids: Uint32Array }
  | { readonly type: "cancel"; readonly id: number }
  | { readonly type: "credit"; readonly id: number; readonly count: number }
  | { readonly type: "settle"; readonly id: number; readonly keep: PrefixRef | null }
  /** The client has gone: cancel what runs, give up the lease. */
  | { readonly type: "release"; readonly id: number }
  | { readonly type: "hint"; readonly prefix: PrefixRef; readonly kind: "dead" | "idle" | "soon" }
  | { readonly type: "prepare"; readonly sources: readonly ConstraintSource[] }
  | { readonly type: "encode"; readonly call: number; readonly segments: readonly TextSegment[] };

/** A change of the cache, numbered within the epoch by the order of arrival. */
export type WireBlockChange =
  | {
      readonly type: "stored";
      readonly tier: "hot" | "ram";
      readonly parent: Hash;
      readonly blocks: readonly Hash[];
    }
  | { readonly type: "removed"; readonly tier: "hot" | "ram"; readonly blocks: readonly Hash[] };

/** What a child says of itself when it greets. */
export interface ChildIdentity {
  readonly epoch: string;
  readonly description: ModelDescription;
  readonly model: Hash;
  readonly tokenizer: Hash;
  readonly kvFormat: Hash;
  readonly contextLength: number;
  readonly hotTokens: number;
  readonly ramTokens: number;
}

export interface WireVocabulary extends Omit<Vocabulary, "pieces" | "structural"> {
  /** All pieces joined, and the length of each. */
  readonly pieceBytes: Uint8Array;
  readonly pieceLengths: Uint32Array;
  readonly structural: readonly (readonly [number, string])[];
}

export type ToParent =
  | { readonly type: "refused"; readonly version: number }
  | {
      readonly type: "hello";
      readonly version: number;
      readonly identity: ChildIdentity;
      readonly vocabulary: WireVocabulary;
    }
  /** All that one step brought, for every request of this connection. */
  | {
      readonly type: "step";
      readonly events: readonly (readonly [number, EngineEvent])[];
      readonly blocks: readonly WireBlockChange[];
      readonly load: LoadReport;
    }
  /** Send the tokens from `length` on up to the `from` of the request. */
  | { readonly type: "have"; readonly id: number; readonly length: number }
  | { readonly type: "encoded"; readonly call: number; readonly ids: readonly Uint32Array[] }
  | {
      readonly type: "failed";
      readonly call: number;
      readonly code: InferenceErrorCode;
      readonly message: string;
    };

/** What the parent writes to the child's standard input, as one line of JSON. */
export interface ChildOptions {
  readonly id: string;
  readonly path: string;
  /** Path of the socket, or name of the pipe, to listen on. */
  readonly socket: string;
  /** The hello must carry it. */
  readonly key: string;
  readonly contextTokens: number | null;
  readonly maxSequences: number;
  readonly threads: { readonly prefill: number; readonly decode: number };
  readonly batchTokens: number;
  readonly parkedBytes: number;
  readonly deterministic: boolean;
  readonly flashAttention: boolean;
  /** Whether to give way to other processes. */
  readonly adaptThreads: boolean;
}

/** What the child writes to its standard output, once, as one line of JSON. */
export type ChildReport =
  | { readonly ready: true }
  | { readonly ready: false; readonly code: InferenceErrorCode; readonly message: string };
