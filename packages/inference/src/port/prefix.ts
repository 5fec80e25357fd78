/** A tenant. Every id, lineage, prefix hash and record lives in one. */
export type Scope = string;

/** A 128-bit hash as 32 lower-case hex digits. */
export type Hash = string;

/** The identity of a rope's tokens `[0, length)`; `length` in tokens. */
export interface PrefixRef {
  readonly hash: Hash;
  readonly length: number;
}

/** What an engine needs to see of a prompt: its identity, its cut points, and its tokens on demand. */
export interface RopeView {
  /** Length in tokens. */
  readonly length: number;
  /** Identity of the whole. */
  readonly tip: PrefixRef;
  /** Where the hash chain begins: a hash of the scope's secret salt, so that scopes never share a prefix. */
  readonly root: Hash;
  /** Prefixes that other requests are likely to share: node ends and block borders in one list, deepest first. Lazy. */
  boundaries(): Iterable<PrefixRef>;
  /** A copy of the tokens `[from, to)`; `to` defaults to the end. */
  slice(from: number, to?: number): Uint32Array;
}
