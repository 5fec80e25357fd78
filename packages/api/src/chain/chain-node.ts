import type { Hash, Scope } from "@slipstream-stack/inference";
import type { Item } from "@slipstream-stack/protocol";
import type { RenderState } from "../render/dialect.ts";
import type { Rope } from "../rope/rope.ts";

/** A conversation's beginning: instructions and tools, rendered once and shared by all chains that have them. */
export interface HeadNode {
  readonly hash: Hash;
  readonly rope: Rope;
  readonly state: RenderState;
  /** Lineage of the empty conversation under this head. */
  readonly lineage: Hash;
}

/**
 * Where an item ends. `end` is the length in tokens of the rope up to it; not `aligned` means that the end
 * falls inside a token, so a cut there must go back to the last aligned mark.
 */
export interface ItemMark {
  readonly lineage: Hash;
  readonly end: number;
  readonly aligned: boolean;
  readonly state: RenderState;
}

/** One response and what it added: its new input items, then its output items, with one mark each. */
export interface ChainNode {
  readonly id: string;
  readonly scope: Scope;
  readonly parent: ChainNode | null;
  /** How many of the parent's items stand before this node's own; fewer than all after a fork inside it. */
  readonly parentItems: number;
  /** Items of the conversation before this node's own. */
  readonly itemsBefore: number;
  readonly head: HeadNode;
  readonly items: readonly Item[];
  readonly inputCount: number;
  readonly marks: readonly ItemMark[];
  readonly rope: Rope;
  /** The model the tokens belong to. */
  readonly model: string;
  readonly settings: Hash;
  /** Renderer and tokenizer that made the tokens. */
  readonly fingerprint: Hash;
  /** First response of the chain. */
  readonly chain: string;
  readonly depth: number;
  /** Whether it is in the store; one that is not belongs to the connection that made it. */
  readonly stored: boolean;
  /** Milliseconds (monotonic) when the response ended. */
  readonly endedAt: number;
}

/** A point to continue from: a node and how many of its own items are kept. */
export interface ChainPosition {
  readonly node: ChainNode;
  readonly kept: number;
}

/** How many items of the conversation stand up to a position. */
export function itemCount({ node, kept }: ChainPosition): number {
  return node.itemsBefore + kept;
}

/** The items of a chain up to a position, oldest first. Linear: for re-rendering and listings only. */
export function itemsUpTo(position: ChainPosition): Item[] {
  const parts: Item[][] = [];
  let at: ChainPosition | null = position;
  while (at !== null) {
    parts.push(at.node.items.slice(0, at.kept));
    at = at.node.parent === null ? null : { node: at.node.parent, kept: at.node.parentItems };
  }
  return parts.reverse().flat();
}

/** The mark at a position, or null where it is the head itself. */
export function markAt(position: ChainPosition): ItemMark | null {
  let at: ChainPosition | null = position;
  while (at !== null) {
    if (at.kept > 0) return at.node.marks[at.kept - 1] ?? null;
    at = at.node.parent === null ? null : { node: at.node.parent, kept: at.node.parentItems };
  }
  return null;
}
