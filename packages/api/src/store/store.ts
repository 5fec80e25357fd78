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

/** One response as one durable unit. `items` are the new input items, then the output items. */
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
  /** Contents of head and settings that may not be stored yet, by hash. */
  readonly blobs: ReadonlyMap<Hash, Uint8Array>;
  /** The response object without items and settings. */
  readonly body: JsonObject;
  readonly lap: LapRecord;
  /** Milliseconds since 1970, or null to keep it. */
  readonly expiresAt: number | null;
}

export interface StoredResponse {
  readonly id: string;
  readonly parent: string | null;
  readonly body: JsonObject;
  readonly items: readonly Item[];
  readonly inputCount: number;
  readonly settings: Uint8Array;
}

/** A node of a stored chain; a deleted ancestor still comes, `deleted`, as long as a live response needs it. */
export interface StoredNode extends Omit<ResponseWrite, "blobs" | "lap" | "expiresAt"> {
  readonly deleted: boolean;
  readonly headContent: Uint8Array;
  readonly settingsContent: Uint8Array;
}

export interface Page {
  readonly after: string | null;
  readonly limit: number;
  readonly order: "asc" | "desc";
}

export interface ItemPage {
  readonly data: readonly Item[];
  readonly firstId: string | null;
  readonly lastId: string | null;
  readonly hasMore: boolean;
}

/**
 * The durable memory of stored responses. Every call names its scope; an id of another scope is not found.
 * Asynchronous: the SQLite one works in its own thread and groups commits.
 */
export interface Store {
  /** Resolves once the write is durable. */
  commit(write: ResponseWrite): Promise<{ result: "ok" | "parent_gone" | "conflict"; bytes: number }>;
  response(scope: Scope, id: string): Promise<StoredResponse | null>;
  /** Root to leaf; empty where the id is not there. */
  chain(scope: Scope, id: string): Promise<readonly StoredNode[]>;
  /** The input items of a response and its ancestors, a page at a time. */
  inputItems(scope: Scope, id: string, page: Page): Promise<ItemPage | null>;
  lap(scope: Scope, id: string): Promise<LapRecord | null>;
  /** Whether it was there. Unreachable at once; a node that others need stays as an unaddressable ancestor. */
  remove(scope: Scope, id: string): Promise<boolean>;
  sweep(now: number, limit: number): Promise<{ removed: number; more: boolean }>;
  close(): Promise<void>;
}
