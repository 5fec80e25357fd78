import type { Clock, Hash, Scope } from "@slipstream-stack/inference";
import { type LapRecord, WireError } from "@slipstream-stack/protocol";
import { LRUCache } from "lru-cache";
import { decodeChain, decodeResponse } from "./record/decode-record.ts";
import { type NodeRecord, recordOf } from "./record/record.ts";
import type {
  CommitResult,
  ItemPage,
  Page,
  ResponseWrite,
  Store,
  StoredNode,
  StoredResponse,
} from "./store.ts";
import { StoreThread } from "./worker/store-thread.ts";

/** Heads and settings remembered as stored, so that their contents do not travel again. */
const knownBlobLimit = 4096;

/** Nodes of a chain that cross from the thread at once: about a millisecond of unpacking. */
const chainPartLength = 128;

/** Where and how responses are stored; times in milliseconds, sizes in bytes. */
export interface SqliteStoreOptions {
  readonly path: string;
  /** Without a clock, what has expired is found until the sweep takes it. */
  readonly clock?: Pick<Clock, "wallClock">;
  /** Told of every failure with its cause; callers get a `WireError` that names what to do. */
  readonly onError: (error: Error) => void;
  readonly callTimeoutMs?: number;
  readonly busyTimeoutMs?: number;
  /** The file is not grown beyond this. */
  readonly maxBytes?: number;
  /** Calls that may wait at once; more fail with `storage_unavailable`. */
  readonly pendingLimit?: number;
}

class SqliteStore implements Store {
  readonly #thread: StoreThread;
  readonly #clock: Pick<Clock, "wallClock">;
  readonly #known = new LRUCache<string, true>({ max: knownBlobLimit });

  constructor(options: SqliteStoreOptions) {
    this.#clock = options.clock ?? { wallClock: () => 0 };
    this.#thread = new StoreThread({
      settings: {
        path: options.path,
        busyTimeoutMs: options.busyTimeoutMs ?? 5_000,
        maxBytes: options.maxBytes ?? null,
      },
      callTimeoutMs: options.callTimeoutMs ?? 15_000,
      pendingLimit: options.pendingLimit ?? 2_000,
      onError: options.onError,
      onStart: () => this.#known.clear(),
    });
  }

  open(): Promise<void> {
    return this.#thread.open();
  }

  async commit(write: ResponseWrite): Promise<CommitResult> {
    const now = this.#clock.wallClock();
    const known = (hash: Hash) => this.#known.has(`${write.scope}\0${hash}`);
    let outcome = await this.#thread.call("commit", { record: recordOf(write, known), now });
    if (outcome.result === "needs_blobs") {
      outcome = await this.#thread.call("commit", { record: recordOf(write, () => false), now });
    }
    if (outcome.result === "needs_blobs") {
      throw new WireError("server_error", "The contents of the response's head or settings were not given.");
    }
    if (outcome.result === "ok") {
      for (const hash of [write.head, write.settings]) this.#known.set(`${write.scope}\0${hash}`, true);
    }
    return { result: outcome.result, bytes: outcome.bytes };
  }

  async response(scope: Scope, id: string): Promise<StoredResponse | null> {
    const record = await this.#thread.call("response", { scope, id, now: this.#clock.wallClock() });
    return record === null ? null : decodeResponse(record);
  }

  async chain(scope: Scope, id: string): Promise<readonly StoredNode[]> {
    const now = this.#clock.wallClock();
    const nodes: NodeRecord[] = [];
    const blobs = new Map<Hash, Uint8Array>();
    for (;;) {
      const part = { skip: nodes.length, take: chainPartLength };
      const read = await this.#thread.call("chain", { scope, id, part, now });
      nodes.push(...read.nodes);
      for (const [hash, content] of read.blobs) if (!blobs.has(hash)) blobs.set(hash, content);
      if (read.nodes.length < part.take) break;
    }
    // Without its root, the chain was deleted and swept between two parts.
    return nodes.at(-1)?.parent === null ? decodeChain({ nodes: nodes.reverse(), blobs }) : [];
  }

  inputItems(scope: Scope, id: string, page: Page): Promise<ItemPage | null> {
    return this.#thread.call("inputItems", { scope, id, page, now: this.#clock.wallClock() });
  }

  async lap(scope: Scope, id: string): Promise<LapRecord | null> {
    const text = await this.#thread.call("lap", { scope, id, now: this.#clock.wallClock() });
    return text === null ? null : (JSON.parse(text) as LapRecord);
  }

  remove(scope: Scope, id: string): Promise<boolean> {
    return this.#thread.call("remove", { scope, id, now: this.#clock.wallClock() });
  }

  async sweep(now: number, limit: number): Promise<{ removed: number; more: boolean }> {
    const swept = await this.#thread.call("sweep", { now, limit });
    // The sweep may have taken blobs; the next commits send theirs again.
    if (swept.removed > 0) this.#known.clear();
    return swept;
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}

/**
 * The durable store: one SQLite file, worked on in a thread of its own. A commit resolves once its group is
 * synced to disk, so that it survives the end of the process and of the power.
 * @throws ApiError `store_unavailable` or `store_corrupt`, with what to do.
 */
export async function createSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const store = new SqliteStore(options);
  await store.open();
  return store;
}
