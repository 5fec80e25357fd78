import type { Hash, Scope } from "@slipstream-stack/inference";
import { type ChainNode, type ChainPosition, markAt } from "./chain-node.ts";

interface Entry {
  readonly node: ChainNode;
  readonly bytes: number;
  children: number;
}

/** Gauges of the chains in memory. */
export interface ChainIndexLoad {
  readonly nodes: number;
  readonly lineages: number;
  readonly bytes: number;
  readonly bytesLimit: number;
}

/**
 * The chains held in memory, found by id or by content. Every item boundary of every held node is indexed by
 * its lineage. Memory is bounded in bytes; what goes first is the tip of the chain that was used least
 * recently, so that a node others continue from never leaves before them.
 */
export class ChainIndex {
  readonly #limit: number;
  readonly #entries = new Map<string, Entry>();
  /** Nodes without held children, least recently used first. */
  readonly #leaves = new Map<string, Entry>();
  readonly #lineages = new Map<Hash, { key: string; kept: number }>();
  #bytes = 0;

  constructor(bytesLimit: number) {
    this.#limit = bytesLimit;
  }

  load(): ChainIndexLoad {
    return {
      nodes: this.#entries.size,
      lineages: this.#lineages.size,
      bytes: this.#bytes,
      bytesLimit: this.#limit,
    };
  }

  byId(scope: Scope, id: string): ChainNode | null {
    const key = keyOf(scope, id);
    const entry = this.#entries.get(key);
    if (entry === undefined) return null;
    this.#touch(key, entry);
    return entry.node;
  }

  /** The deepest of these lineages that is held; they are those of one conversation, shallowest first. */
  byLineage(lineages: readonly Hash[]): { position: ChainPosition; items: number } | null {
    for (let items = lineages.length; items > 0; items--) {
      const found = this.#lineages.get(lineages[items - 1] ?? "");
      const entry = found === undefined ? undefined : this.#entries.get(found.key);
      if (found === undefined || entry === undefined) continue;
      this.#touch(found.key, entry);
      return { position: { node: entry.node, kept: found.kept }, items };
    }
    return null;
  }

  commit(node: ChainNode): void {
    const key = keyOf(node.scope, node.id);
    if (this.#entries.has(key)) this.#remove(key);
    const entry: Entry = { node, bytes: sizeOf(node), children: 0 };
    this.#entries.set(key, entry);
    this.#leaves.set(key, entry);
    this.#bytes += entry.bytes;
    const parentKey = node.parent === null ? null : keyOf(node.scope, node.parent.id);
    const parent = parentKey === null ? undefined : this.#entries.get(parentKey);
    if (parentKey !== null && parent !== undefined && parent.node === node.parent) {
      parent.children += 1;
      this.#leaves.delete(parentKey);
    }
    node.marks.forEach((mark, index) => {
      this.#lineages.set(mark.lineage, { key, kept: index + 1 });
    });
    while (this.#bytes > this.#limit && this.#leaves.size > 1) this.#evictOldest();
  }

  /** Forgets a response: neither its id nor its boundaries are found any more. */
  remove(scope: Scope, id: string): void {
    this.#remove(keyOf(scope, id));
  }

  #touch(key: string, entry: Entry): void {
    if (!this.#leaves.delete(key)) return;
    this.#leaves.set(key, entry);
  }

  #evictOldest(): void {
    const oldest = this.#leaves.keys().next();
    if (!oldest.done) this.#remove(oldest.value);
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#leaves.delete(key);
    this.#bytes -= entry.bytes;
    for (const mark of entry.node.marks) {
      if (this.#lineages.get(mark.lineage)?.key === key) this.#lineages.delete(mark.lineage);
    }
    this.#releaseParent(entry.node);
  }

  #releaseParent(node: ChainNode): void {
    if (node.parent === null) return;
    const key = keyOf(node.scope, node.parent.id);
    const parent = this.#entries.get(key);
    if (parent === undefined || parent.node !== node.parent) return;
    parent.children -= 1;
    if (parent.children === 0) this.#leaves.set(key, parent);
  }
}

function keyOf(scope: Scope, id: string): string {
  return `${scope}\0${id}`;
}

/** Bytes a node adds to memory: its token ids, its items' text, and a flat share for marks and objects. */
function sizeOf(node: ChainNode): number {
  const shared =
    markAt({ node: node.parent ?? node, kept: node.parent === null ? 0 : node.parentItems })?.end ?? 0;
  const tokens = Math.max(0, node.rope.length - (node.parent === null ? node.head.rope.length : shared));
  return tokens * 4 + itemBytes(node) + node.marks.length * 200 + 500;
}

function itemBytes(node: ChainNode): number {
  return node.items.reduce((sum, item) => sum + JSON.stringify(item).length * 2, 0);
}
