import { LRUCache } from "lru-cache";
import type { KvEvent } from "../port/kv-event.ts";
import type { Hash, PrefixRef } from "../port/prefix.ts";

/** About what one entry takes: a hash of 32 characters, its set of workers, and its place in the table. */
const entryBytes = 256;

/**
 * Which worker holds which block, as far as its events told. Bounded in bytes: the block that was asked for
 * least recently is forgotten. Rebuilt from events alone, so nothing of it needs to be kept.
 */
export class KvIndex {
  readonly #blocks: LRUCache<Hash, Set<string>>;

  constructor(maxBytes = 64 * 1024 * 1024) {
    this.#blocks = new LRUCache({
      maxSize: Math.max(entryBytes, maxBytes),
      sizeCalculation: () => entryBytes,
    });
  }

  /** Blocks known to be held by anybody. */
  get size(): number {
    return this.#blocks.size;
  }

  apply(worker: string, event: KvEvent): void {
    if (event.type === "cleared") this.forget(worker);
    else if (event.type === "stored")
      for (const block of event.blocks) this.#store(worker, block, event.tier);
    else for (const block of event.blocks) this.#remove(worker, block, event.tier);
  }

  /** Drops all that is known of a worker. */
  forget(worker: string): void {
    for (const [block, holders] of [...this.#blocks.entries()]) {
      for (const holder of [...holders]) if (workerOf(holder) === worker) holders.delete(holder);
      if (holders.size === 0) this.#blocks.delete(block);
    }
  }

  /**
   * Tokens of a prompt that each of the workers holds, by its deepest block that is known. `boundaries` come
   * deepest first; looking stops when nobody is left to find.
   */
  heldBy(workers: readonly string[], boundaries: Iterable<PrefixRef>): Map<string, number> {
    const held = new Map<string, number>();
    for (const { hash, length } of boundaries) {
      for (const holder of this.#blocks.get(hash) ?? []) {
        const worker = workerOf(holder);
        if (!held.has(worker)) held.set(worker, length);
      }
      if (workers.every((worker) => held.has(worker))) break;
    }
    return new Map(workers.map((worker) => [worker, held.get(worker) ?? 0]));
  }

  /** A block that moves down a tier is stored there before it is removed above: both are noted apart. */
  #store(worker: string, block: Hash, tier: string): void {
    const holders = this.#blocks.get(block);
    if (holders === undefined) this.#blocks.set(block, new Set([holderOf(worker, tier)]));
    else holders.add(holderOf(worker, tier));
  }

  #remove(worker: string, block: Hash, tier: string): void {
    const holders = this.#blocks.get(block);
    holders?.delete(holderOf(worker, tier));
    if (holders?.size === 0) this.#blocks.delete(block);
  }
}

function holderOf(worker: string, tier: string): string {
  return `${tier}/${worker}`;
}

function workerOf(holder: string): string {
  return holder.slice(holder.indexOf("/") + 1);
}
