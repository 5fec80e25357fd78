import type { Hash, RopeView } from "../../port/prefix.ts";
import type { RetentionHint } from "../../port/token-engine.ts";

/** Where the simulated engine keeps state: resident, or parked in RAM. */
export type HeldTier = "hot" | "ram";

/** A whole block, or a shorter tail, of held tokens. A node is only held while its parent is. */
export interface HeldNode {
  readonly hash: Hash;
  /** Root of the hash chain it belongs to. */
  readonly root: Hash;
  readonly parent: HeldNode | null;
  /** Tokens from the beginning to this node's end. */
  readonly length: number;
  readonly ids: Uint32Array;
  readonly children: Set<HeldNode>;
  tier: HeldTier;
  /** Requests and unsettled tickets that stand on this node. */
  leases: number;
  lastUsed: number;
  hint: RetentionHint["kind"] | null;
  retain: { readonly priority: number; readonly until: number } | null;
}

/** Where the node's tokens begin. */
export function startOf(node: HeldNode): number {
  return node.length - node.ids.length;
}

/** Tokens on the path to `node` that are parked; what is above a resident node is resident. */
export function parkedTokens(node: HeldNode | null): number {
  let tokens = 0;
  for (let at = node; at !== null && at.tier === "ram"; at = at.parent) tokens += at.ids.length;
  return tokens;
}

/** How many leading tokens two sequences share. */
export function commonLength(first: Uint32Array, second: Uint32Array): number {
  const limit = Math.min(first.length, second.length);
  let length = 0;
  while (length < limit && first[length] === second[length]) length++;
  return length;
}

/** The deepest place of a prompt that is held: the whole blocks up to `border`, and a stretch beyond. */
export interface HeldMatch {
  readonly border: HeldNode | null;
  /** Tokens that are held, partial block included. */
  readonly length: number;
  /** The node whose first `length - border.length` tokens are shared, if the match goes past the border. */
  readonly partial: HeldNode | null;
}

/** What a lookup needs of a prompt. */
export type PromptView = Pick<RopeView, "length" | "root" | "boundaries" | "slice">;
