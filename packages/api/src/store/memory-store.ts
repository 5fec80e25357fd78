import type { Clock, Hash, Scope } from "@slipstream-stack/inference";
import { type Item, type LapRecord, WireError } from "@slipstream-stack/protocol";
import { SharedBlobs } from "./memory/shared-blobs.ts";
import { decodeChain, decodeResponse } from "./record/decode-record.ts";
import { itemPage, withIds } from "./record/item-page.ts";
import { type ResponseRecord, recordOf } from "./record/record.ts";
import type {
  CommitResult,
  ItemPage,
  Page,
  ResponseWrite,
  Store,
  StoredNode,
  StoredResponse,
} from "./store.ts";

/** How much a memory store keeps; beyond it whole chains go, the one longest untouched first. */
export interface MemoryStoreOptions {
  /** Without a clock, what has expired is found until the sweep takes it. */
  readonly clock?: Pick<Clock, "wallClock">;
  readonly maxResponses?: number;
  readonly maxBytes?: number;
}

interface Entry {
  readonly record: ResponseRecord;
  readonly parent: Entry | null;
  readonly root: Entry | null;
  readonly bytes: number;
  children: number;
  deleted: boolean;
}

const keyOf = (scope: Scope, id: string): string => `${scope}\0${id}`;

function sizeOf(record: ResponseRecord): number {
  const texts = record.items.length + record.body.length + record.lap.length;
  return texts + (record.sampled?.ids.byteLength ?? 0) + record.marks.length * 16;
}

function blobsOf({ head, settings }: Pick<ResponseWrite, "head" | "settings">): ReadonlySet<Hash> {
  return new Set([head, settings]);
}

function rootOf(entry: Entry): Entry {
  return entry.root ?? entry;
}

/** The ancestors of an entry and itself, root first. */
function lineOf(entry: Entry): Entry[] {
  const line: Entry[] = [];
  for (let node: Entry | null = entry; node !== null; node = node.parent) line.push(node);
  return line.reverse();
}

class MemoryStore implements Store {
  readonly #clock: Pick<Clock, "wallClock">;
  readonly #maxResponses: number;
  readonly #maxBytes: number;
  readonly #entries = new Map<string, Entry>();
  readonly #blobs = new SharedBlobs();
  /** The entries of each tree of chains by its root, the one longest untouched first. */
  readonly #trees = new Map<Entry, Set<Entry>>();
  readonly #candidates = new Set<Entry>();
  #bytes = 0;
  #closed = false;

  constructor(options: MemoryStoreOptions) {
    this.#clock = options.clock ?? { wallClock: () => 0 };
    this.#maxResponses = options.maxResponses ?? 10_000;
    this.#maxBytes = options.maxBytes ?? 256 * 1024 * 1024;
  }

  async commit(write: ResponseWrite): Promise<CommitResult> {
    this.#assertOpen();
    if (this.#entries.has(keyOf(write.scope, write.id))) return { result: "conflict", bytes: 0 };
    const parent = write.parent === null ? null : this.#live(write.scope, write.parent);
    if (write.parent !== null && parent === null) return { result: "parent_gone", bytes: 0 };
    const blobBytes = this.#blobs.use(write.scope, blobsOf(write), write.blobs);
    const record = recordOf(write, () => true);
    const root = parent === null ? null : rootOf(parent);
    const bytes = sizeOf(record);
    const entry: Entry = { record, parent, root, bytes, children: 0, deleted: false };
    this.#insert(entry);
    this.#makeRoom(rootOf(entry));
    return { result: "ok", bytes: bytes + blobBytes };
  }

  async response(scope: Scope, id: string): Promise<StoredResponse | null> {
    const entry = this.#live(scope, id);
    if (entry === null) return null;
    const { body, items, inputCount, settings } = entry.record;
    return decodeResponse({
      id,
      parent: entry.parent?.record.id ?? null,
      body,
      items,
      inputCount,
      settings: this.#blobs.content(scope, settings),
    });
  }

  async chain(scope: Scope, id: string): Promise<readonly StoredNode[]> {
    const entry = this.#live(scope, id);
    if (entry === null) return [];
    const blobs = new Map<Hash, Uint8Array>();
    const nodes = lineOf(entry).map((node) => {
      const { blobs: _blobs, lap: _lap, expiresAt: _expiresAt, ...record } = node.record;
      for (const hash of [record.head, record.settings]) blobs.set(hash, this.#blobs.content(scope, hash));
      const deleted = !this.#isLive(node);
      return { ...record, body: deleted ? "{}" : record.body, deleted };
    });
    return decodeChain({ nodes, blobs });
  }

  async inputItems(scope: Scope, id: string, page: Page): Promise<ItemPage | null> {
    const entry = this.#live(scope, id);
    if (entry === null) return null;
    const items = lineOf(entry).flatMap(({ record }) => {
      const all = withIds(record.id, JSON.parse(record.items) as Item[]);
      return record.id === id ? all.slice(0, record.inputCount) : all;
    });
    return itemPage(items, page);
  }

  async lap(scope: Scope, id: string): Promise<LapRecord | null> {
    const entry = this.#live(scope, id);
    return entry === null ? null : (JSON.parse(entry.record.lap) as LapRecord);
  }

  async remove(scope: Scope, id: string): Promise<boolean> {
    const entry = this.#live(scope, id);
    if (entry === null) return false;
    this.#delete(entry);
    return true;
  }

  async sweep(now: number, limit: number): Promise<{ removed: number; more: boolean }> {
    this.#assertOpen();
    let expired = 0;
    for (const entry of this.#entries.values()) {
      if (expired === limit) break;
      const { expiresAt } = entry.record;
      if (entry.deleted || expiresAt === null || expiresAt > now) continue;
      this.#delete(entry);
      expired += 1;
    }
    let removed = 0;
    for (const entry of [...this.#candidates].slice(-limit).reverse()) {
      this.#candidates.delete(entry);
      if (entry.children > 0) continue;
      this.#drop(entry);
      if (entry.parent?.deleted === true) this.#candidates.add(entry.parent);
      removed += 1;
    }
    return { removed, more: this.#candidates.size > 0 || expired === limit };
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const held of [this.#entries, this.#blobs, this.#trees, this.#candidates]) held.clear();
  }

  #assertOpen(): void {
    if (this.#closed) throw new WireError("storage_unavailable", "The store has been closed.");
  }

  #isLive(entry: Entry): boolean {
    const { expiresAt } = entry.record;
    return !entry.deleted && (expiresAt === null || expiresAt > this.#clock.wallClock());
  }

  #live(scope: Scope, id: string): Entry | null {
    this.#assertOpen();
    const entry = this.#entries.get(keyOf(scope, id));
    return entry !== undefined && this.#isLive(entry) ? entry : null;
  }

  #delete(entry: Entry): void {
    entry.deleted = true;
    this.#candidates.add(entry);
  }

  #insert(entry: Entry): void {
    const root = rootOf(entry);
    this.#entries.set(keyOf(entry.record.scope, entry.record.id), entry);
    if (entry.parent !== null) entry.parent.children += 1;
    const tree = this.#trees.get(root) ?? new Set();
    tree.add(entry);
    this.#trees.delete(root);
    this.#trees.set(root, tree);
    this.#bytes += entry.bytes;
  }

  #drop(entry: Entry): void {
    const { scope, id } = entry.record;
    this.#entries.delete(keyOf(scope, id));
    this.#candidates.delete(entry);
    if (entry.parent !== null) entry.parent.children -= 1;
    const root = rootOf(entry);
    const tree = this.#trees.get(root);
    tree?.delete(entry);
    if (tree?.size === 0) this.#trees.delete(root);
    this.#bytes -= entry.bytes;
    this.#blobs.release(scope, blobsOf(entry.record));
  }

  #makeRoom(current: Entry): void {
    while (this.#entries.size > this.#maxResponses || this.#bytes + this.#blobs.bytes > this.#maxBytes) {
      const [oldest] = this.#trees;
      // The chain at work stays whole, even where it alone exceeds the limit.
      if (oldest === undefined || oldest[0] === current) return;
      for (const entry of [...oldest[1]]) this.#drop(entry);
    }
  }
}

/**
 * A store in memory with the behaviour of the durable one, for a server without a store's path and for tests.
 * It forgets whole chains, oldest first, beyond its limits, and everything when the process ends.
 */
export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  return new MemoryStore(options);
}
