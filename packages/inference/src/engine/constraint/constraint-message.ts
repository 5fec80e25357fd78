import type { Constraint, ConstraintSource } from "../../port/decode-program.ts";

/** What the host asks of the grammar thread. Messages of one session are answered in order. */
export type ConstraintMessage =
  /** Names a source by a number, so that it crosses threads once. */
  | { readonly kind: "define"; readonly source: number; readonly value: ConstraintSource }
  | { readonly kind: "forget"; readonly source: number }
  | { readonly kind: "prepare"; readonly source: number }
  | BeginMessage
  | { readonly kind: "accept"; readonly session: number; readonly question: number; readonly token: number }
  | { readonly kind: "end"; readonly session: number };

/** Starts a stretch, or takes one up again in a new thread. */
export interface BeginMessage {
  readonly kind: "begin";
  readonly session: number;
  readonly question: number;
  /** Memory of a `SharedAnswer`, for this and all later questions of the session. */
  readonly answer: SharedArrayBuffer;
  readonly source: number;
  readonly afterwards: Constraint["then"];
  /** Bytes of the stretch that came in the same token as its trigger. */
  readonly head: Uint8Array;
  /** Tokens taken since: none at the start. */
  readonly tokens: readonly number[];
  /** The token given last, which may turn out to lie after the stretch. */
  readonly last: number | null;
}

/** What the grammar thread is started with. */
export interface ConstraintSetup {
  readonly vocabulary: PackedVocabulary;
  /** Memory of a `SharedHealth`. */
  readonly health: SharedArrayBuffer;
  readonly maxCompiled: number;
  readonly maxCompiledBytes: number;
  /** Grammars that broke a thread before, by key, with the reason: never tried again. */
  readonly refused: ReadonlyMap<string, string>;
}

/** A vocabulary that crosses threads without being copied. */
export interface PackedVocabulary {
  /** All pieces, one after the other. */
  readonly bytes: Uint8Array;
  /** Where each piece ends in `bytes`. */
  readonly ends: Uint32Array;
  readonly structural: ReadonlyMap<number, string>;
  readonly endOfGeneration: readonly number[];
}
