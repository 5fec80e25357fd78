import type { RetentionPolicy } from "../../retention/retention-policy.ts";
import type { HeldNode, HeldTier } from "./held-node.ts";

/** Who takes how much room in which tier, who may not go, and who would go first. Knows no hashes. */
export class TierLedger {
  readonly #policy: RetentionPolicy;
  readonly #used: Record<HeldTier, number> = { hot: 0, ram: 0 };
  /** Nodes on which nothing of the same tier stands. */
  readonly #leaves: Record<HeldTier, Set<HeldNode>> = { hot: new Set(), ram: new Set() };
  readonly #leased = new Set<HeldNode>();

  constructor(policy: RetentionPolicy) {
    this.#policy = policy;
  }

  used(tier: HeldTier): number {
    return this.#used[tier];
  }

  /** How many branches end in a tier. */
  branches(tier: HeldTier): number {
    return this.#leaves[tier].size;
  }

  /** A node that already stands below its parent. */
  add(node: HeldNode): void {
    this.#used[node.tier] += node.ids.length;
    this.#refresh(node);
    if (node.parent !== null) this.#refresh(node.parent);
  }

  /** A node that no longer stands below its parent, which inherits when it was used, and whether it has a future. */
  remove(node: HeldNode): void {
    const { parent } = node;
    this.#used[node.tier] -= node.ids.length;
    this.#leaves[node.tier].delete(node);
    if (parent === null) return;
    parent.lastUsed = Math.max(parent.lastUsed, node.lastUsed);
    if (parent.children.size === 0 && parent.lastUsed === node.lastUsed) parent.hint = node.hint;
    this.#refresh(parent);
  }

  move(node: HeldNode, tier: HeldTier): void {
    this.#used[node.tier] -= node.ids.length;
    this.#leaves[node.tier].delete(node);
    node.tier = tier;
    this.add(node);
  }

  /** Keeps the path to `node` from being dropped until `release`. */
  lease(node: HeldNode | null): void {
    if (node === null) return;
    node.leases++;
    this.#leased.add(node);
  }

  release(node: HeldNode | null): void {
    if (node === null) return;
    node.leases--;
    if (node.leases === 0) this.#leased.delete(node);
  }

  /** Resident tokens of all leased paths. */
  leasedTokens(): number {
    const seen = new Set<HeldNode>();
    let tokens = 0;
    for (const leased of this.#leased) {
      for (let at: HeldNode | null = leased; at !== null && !seen.has(at); at = at.parent) {
        seen.add(at);
        if (at.tier === "hot") tokens += at.ids.length;
      }
    }
    return tokens;
  }

  /** The idle node of a tier to go first, or null where none may. */
  victim(tier: HeldTier, now: number): HeldNode | null {
    let first: HeldNode | null = null;
    for (const node of this.#leaves[tier]) {
      if (node.leases > 0 || isStoodOn(node)) continue;
      if (first === null || this.#policy.compare(node, first, now) < 0) first = node;
    }
    return first;
  }

  clear(): void {
    this.#leased.clear();
    for (const tier of ["hot", "ram"] as const) {
      this.#used[tier] = 0;
      this.#leaves[tier].clear();
    }
  }

  #refresh(node: HeldNode): void {
    let leaf = true;
    for (const child of node.children) if (child.tier === node.tier) leaf = false;
    if (leaf) this.#leaves[node.tier].add(node);
    else this.#leaves[node.tier].delete(node);
  }
}

/** Whether a parked path that a request is about to use hangs from the node. */
function isStoodOn(node: HeldNode): boolean {
  for (const child of node.children) if (child.leases > 0 || isStoodOn(child)) return true;
  return false;
}
