import type { Hash, PrefixRef, Scope } from "@slipstream-stack/inference";
import type { Item, JsonObject, LapRecord } from "@slipstream-stack/protocol";

/** Sampled token ids of one response's output and where its items end in them. */
export interface SampledOutput {
  /** Index of the first output item among the write's items. */
  readonly firstItem: number;
  readonly ids: Uint32Array;
}

/** The end of an item on the rope, relative to the start of this response's own segments, in tokens. */
export interface StoredMark {
  readonly end: number;
  readonly aligned: boolean;
}

/**
 * One response as one durable unit. `items` are the new input items, then the output items. `parent` must be
 * stored, or null; `marks` ends never fall from one to the next.
 */
export interface ResponseWrite {
  readonly scope: Scope;
  readonly id: string;
  readonly parent: string | null;
  /** Id of the first response of the chain. */
  readonly chain: string;
  readonly depth: number;
  readonly items: readonly Item[];
  readonly inputCount: number;
  readonly sampled: SampledOutput | null;
  readonly marks: readonly StoredMark[];
  readonly tokenizer: Hash;
  /** Fingerprint of the renderer that made the marks. */
  readonly fingerprint: Hash;
  readonly head: Hash;
  readonly settings: Hash;
  readonly tip: PrefixRef;
  /**
   * Contents of head and settings by hash. Give them always: a store writes (and sends on) only what it does
   * not hold, and a sweep may have taken what an earlier write brought.
   */
  readonly blobs: ReadonlyMap<Hash, Uint8Array>;
  /** The response object without items and settings. */
  readonly body: JsonObject;
  readonly lap: LapRecord;
  /** Milliseconds since 1970, or null to keep it. */
  readonly expiresAt: number | null;
}

/**
 * What became of a commit. `parent_gone`: the parent was never stored, was removed or has expired.
 * `conflict`: the id is taken, also by a removed response that others still need. `bytes` is what was written
 * for it, indexes and page headers apart.
 */
export interface CommitResult {
  readonly result: "ok" | "parent_gone" | "conflict";
  readonly bytes: number;
}

/** A stored response; `items` and `settings` are as they were committed, the settings by content. */
export interface StoredResponse {
  readonly id: string;
  readonly parent: string | null;
  readonly body: JsonObject;
  readonly items: readonly Item[];
  readonly inputCount: number;
  readonly settings: Uint8Array;
}

/**
 * A node of a stored chain; a deleted ancestor still comes, `deleted` and with an empty body, as long as a
 * live response needs it.
 */
export interface StoredNode extends Omit<ResponseWrite, "blobs" | "lap" | "expiresAt"> {
  readonly deleted: boolean;
  readonly headContent: Uint8Array;
  readonly settingsContent: Uint8Array;
}

/** Which items to list: `limit` of them after the item `after` in `order`. */
export interface Page {
  readonly after: string | null;
  readonly limit: number;
  readonly order: "asc" | "desc";
}

/** One page of items; `firstId` and `lastId` are null on an empty one. */
export interface ItemPage {
  readonly data: readonly Item[];
  readonly firstId: string | null;
  readonly lastId: string | null;
  readonly hasMore: boolean;
}

/**
 * The durable memory of stored responses. Every call names its scope; an id of another scope is not found, nor
 * is one that was removed or has expired. Asynchronous: the SQLite one works in its own thread and groups
 * commits. Every call may fail with the WireError `storage_unavailable`, whose message says what to do.
 */
export interface Store {
  /** Resolves once the write is durable. */
  commit(write: ResponseWrite): Promise<CommitResult>;
  response(scope: Scope, id: string): Promise<StoredResponse | null>;
  /** Root to leaf; empty where the id is not there. */
  chain(scope: Scope, id: string): Promise<readonly StoredNode[]>;
  /**
   * What a response was given, a page at a time: its ancestors' items and its own input, each with an id.
   * @throws WireError `invalid_value` when no item has the id `after`.
   */
  inputItems(scope: Scope, id: string, page: Page): Promise<ItemPage | null>;
  lap(scope: Scope, id: string): Promise<LapRecord | null>;
  /** Whether it was there. Unreachable at once; a node that others need stays as an unaddressable ancestor. */
  remove(scope: Scope, id: string): Promise<boolean>;
  /**
   * One bounded step of tidying: takes at most `limit` expired and `limit` deleted responses that nothing
   * continues, and heads and settings that nothing uses. Call again while `more`. `now`: milliseconds since 1970.
   */
  sweep(now: number, limit: number): Promise<{ removed: number; more: boolean }>;
  close(): Promise<void>;
}
