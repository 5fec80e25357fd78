import type { HeldBlock } from "../../kv/kv-event-log.ts";
import { hashBlockSize, linkHash } from "../../kv/prefix-hash.ts";
import type { Hash, PrefixRef } from "../../port/prefix.ts";
import type { RetentionHint } from "../../port/token-engine.ts";
import type { RetentionPolicy } from "../../retention/retention-policy.ts";
import {
  commonLength,
  type HeldMatch,
  type HeldNode,
  type HeldTier,
  type PromptView,
  startOf,
} from "./held-node.ts";
import { TierLedger } from "./tier-ledger.ts";

/** What the tree tells about whole blocks. */
export interface HeldTreeListener {
  stored(tier: HeldTier, parent: Hash, block: Hash): void;
  removed(tier: HeldTier, block: Hash): void;
  /** A block or tail was dropped for want of room. */
  evicted(hash: Hash): void;
}

export interface Inserted {
  readonly node: HeldNode | null;
  readonly created: readonly HeldNode[];
}

/**
 * The tokens a simulated engine holds: a tree of blocks that branches share, with tails below. Bounded per
 * tier in tokens; room is made leaf first, in the order of the retention policy.
 */
export class HeldTree {
  readonly #capacity: Readonly<Record<HeldTier, number>>;
  readonly #listener: HeldTreeListener;
  readonly #nodes = new Map<Hash, HeldNode>();
  /** Nodes without a parent, by root. */
  readonly #tops = new Map<Hash, Set<HeldNode>>();
  readonly #ledger: TierLedger;

  constructor(capacity: Record<HeldTier, number>, policy: RetentionPolicy, listener: HeldTreeListener) {
    this.#capacity = capacity;
    this.#ledger = new TierLedger(policy);
    this.#listener = listener;
  }

  used(tier: HeldTier): number {
    return this.#ledger.used(tier);
  }

  nodes(): Iterable<HeldNode> {
    return this.#nodes.values();
  }

  /** Every whole block, parents before children. */
  *wholeBlocks(): Generator<HeldBlock> {
    const stack = [...this.#tops.values()].flatMap((tops) => [...tops]);
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      if (node.ids.length < hashBlockSize) continue;
      yield { tier: node.tier, parent: node.parent?.hash ?? node.root, hash: node.hash };
      stack.push(...node.children);
    }
  }

  /** How many branches end in parked state. */
  parkedBranches(): number {
    return this.#ledger.branches("ram");
  }

  get(ref: PrefixRef): HeldNode | null {
    const node = this.#nodes.get(ref.hash);
    return node !== undefined && node.length === ref.length ? node : null;
  }

  /** The longest prefix of `prompt` that is held, exact to the token. Costs what is not held plus one block. */
  match(prompt: PromptView): HeldMatch {
    let border: HeldNode | null = null;
    for (const boundary of prompt.boundaries()) {
      const node = this.get(boundary);
      if (node === null) continue;
      border = node.ids.length === hashBlockSize ? node : node.parent;
      break;
    }
    for (let next = this.#nextBlock(prompt, border); next !== null; next = this.#nextBlock(prompt, border))
      border = next;
    const from = border?.length ?? 0;
    const rest = prompt.slice(from, Math.min(prompt.length, from + hashBlockSize));
    let shared = 0;
    let partial: HeldNode | null = null;
    for (const child of this.#childrenOf(border, prompt.root)) {
      const length = commonLength(child.ids, rest);
      if (length <= shared) continue;
      shared = length;
      partial = child;
    }
    return { border, length: from + shared, partial };
  }

  /**
   * Holds `ids` below a block border, as whole blocks and a tail; returns the deepest node and those that are
   * new. Idle tails that the new tokens continue are taken over. The caller has made room and leases `border`.
   */
  insert(root: Hash, border: HeldNode | null, ids: Uint32Array, now: number): Inserted {
    const created: HeldNode[] = [];
    let node = border;
    for (let offset = 0; offset < ids.length; offset += hashBlockSize) {
      const part = ids.slice(offset, offset + hashBlockSize);
      const existing = this.#existing(root, node, part);
      node = existing ?? this.#create(root, node, part, now);
      node.lastUsed = now;
      if (existing === undefined) created.push(node);
    }
    return { node, created };
  }

  /** Keeps the path to `node` from being dropped until `release`. */
  lease(node: HeldNode | null): void {
    this.#ledger.lease(node);
  }

  release(node: HeldNode | null): void {
    this.#ledger.release(node);
  }

  /** Removes an idle tail so that the caller can grow it. */
  take(tail: HeldNode): void {
    this.#remove(tail);
  }

  /** Marks the deepest node of a path as used; its ancestors learn of it when it goes. */
  touch(node: HeldNode | null, now: number): void {
    if (node === null) return;
    node.lastUsed = now;
    node.hint = null;
  }

  hint(ref: PrefixRef, kind: RetentionHint["kind"]): void {
    const node = this.get(ref);
    if (node !== null) node.hint = kind;
  }

  /** Frees those of `own` that lie past `length` on the way down to `node`, as far as nothing stands on them. */
  truncate(node: HeldNode | null, length: number, own: ReadonlySet<HeldNode>, now: number): void {
    let at = node;
    while (at !== null && at.length > length && own.has(at) && at.leases === 0 && at.children.size === 0) {
      const { parent, root, ids } = at;
      const start = startOf(at);
      this.#remove(at);
      if (start < length) this.insert(root, parent, ids.slice(0, length - start), now);
      at = parent;
    }
  }

  /** Makes the path resident again. The caller leases `node` and has made room for `parkedTokens(node)`. */
  promote(node: HeldNode | null): void {
    const parked: HeldNode[] = [];
    for (let at = node; at !== null && at.tier === "ram"; at = at.parent) parked.push(at);
    for (const step of parked.reverse()) this.#move(step, "hot");
  }

  /** Frees resident room for `tokens` more besides `reserved`; false, and nothing freed, where that cannot be. */
  makeRoom(tokens: number, reserved: number, now: number): boolean {
    const limit = this.#capacity.hot - reserved - tokens;
    if (this.used("hot") <= limit) return true;
    if (this.#ledger.leasedTokens() > limit) return false;
    while (this.used("hot") > limit) {
      const victim = this.#ledger.victim("hot", now);
      if (victim === null) return false;
      if (this.#makeParkingRoom(victim.ids.length, now)) this.#move(victim, "ram");
      else this.#evict(victim);
    }
    return true;
  }

  /** Drops everything and forgets all leases, without telling: the incarnation is over. */
  clear(): void {
    this.#nodes.clear();
    this.#tops.clear();
    this.#ledger.clear();
  }

  #makeParkingRoom(tokens: number, now: number): boolean {
    if (tokens > this.#capacity.ram) return false;
    while (this.used("ram") + tokens > this.#capacity.ram) {
      const victim = this.#ledger.victim("ram", now);
      if (victim === null) return false;
      this.#evict(victim);
    }
    return true;
  }

  #evict(node: HeldNode): void {
    for (const child of [...node.children]) this.#evict(child);
    this.#listener.evicted(node.hash);
    this.#remove(node);
  }

  #nextBlock(prompt: PromptView, border: HeldNode | null): HeldNode | null {
    const from = border?.length ?? 0;
    if (from + hashBlockSize > prompt.length || this.#childrenOf(border, prompt.root).size === 0) return null;
    const hash = linkHash(border?.hash ?? prompt.root, prompt.slice(from, from + hashBlockSize));
    return this.get({ hash, length: from + hashBlockSize });
  }

  #childrenOf(node: HeldNode | null, root: Hash): ReadonlySet<HeldNode> {
    return node?.children ?? this.#tops.get(root) ?? new Set();
  }

  #create(root: Hash, parent: HeldNode | null, ids: Uint32Array, now: number): HeldNode {
    for (const sibling of [...this.#childrenOf(parent, root)]) {
      const continued = sibling.leases === 0 && sibling.ids.length < ids.length;
      if (continued && commonLength(sibling.ids, ids) === sibling.ids.length) this.#remove(sibling);
    }
    const node: HeldNode = {
      hash: linkHash(parent?.hash ?? root, ids),
      root,
      parent,
      length: (parent?.length ?? 0) + ids.length,
      ids,
      children: new Set(),
      tier: "hot",
      leases: 0,
      lastUsed: now,
      hint: null,
      retain: null,
    };
    this.#nodes.set(node.hash, node);
    this.#siblings(node).add(node);
    this.#ledger.add(node);
    this.#announceStored(node);
    return node;
  }

  /** The node that holds these tokens already, a tail possibly as its beginning. */
  #existing(root: Hash, parent: HeldNode | null, ids: Uint32Array): HeldNode | undefined {
    for (const sibling of this.#childrenOf(parent, root)) {
      if (commonLength(sibling.ids, ids) === ids.length) return sibling;
    }
    return undefined;
  }

  #siblings(node: HeldNode): Set<HeldNode> {
    if (node.parent !== null) return node.parent.children;
    let tops = this.#tops.get(node.root);
    if (tops === undefined) {
      tops = new Set();
      this.#tops.set(node.root, tops);
    }
    return tops;
  }

  #move(node: HeldNode, tier: HeldTier): void {
    const from = node.tier;
    this.#ledger.move(node, tier);
    this.#announceStored(node);
    if (node.ids.length === hashBlockSize) this.#listener.removed(from, node.hash);
  }

  #remove(node: HeldNode): void {
    this.#nodes.delete(node.hash);
    const siblings = this.#siblings(node);
    siblings.delete(node);
    if (node.parent === null && siblings.size === 0) this.#tops.delete(node.root);
    this.#ledger.remove(node);
    if (node.ids.length === hashBlockSize) this.#listener.removed(node.tier, node.hash);
  }

  #announceStored(node: HeldNode): void {
    if (node.ids.length === hashBlockSize)
      this.#listener.stored(node.tier, node.parent?.hash ?? node.root, node.hash);
  }
}
