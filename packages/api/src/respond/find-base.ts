import type { BreakCause, Continuation, Item } from "@slipstream-stack/protocol";
import { isAnswerItem } from "../chain/answer-item.ts";
import type { ChainIndex } from "../chain/chain-index.ts";
import {
  type ChainNode,
  type ChainPosition,
  type HeadNode,
  itemCount,
  itemsUpTo,
  markAt,
} from "../chain/chain-node.ts";
import { nextLineage } from "../chain/lineage.ts";
import { headBase, type PromptBase } from "../plan/renderer.ts";

/** What a request continues, and what is new in it. */
export interface Base {
  /** Where the conversation stood; null where it begins here. */
  readonly position: ChainPosition | null;
  /** The deepest point at or before `position` whose tokens are kept; null is the head. */
  readonly anchor: ChainPosition | null;
  readonly continuation: Continuation;
  /** The tokens that are kept. */
  readonly prompt: PromptBase;
  /** Items to render on top of `prompt`: the new ones, after any that must be rendered again. */
  readonly toRender: readonly Item[];
  /** How many leading items of `toRender` stood in the conversation already. */
  readonly again: number;
  /** Items whose tokens are kept. */
  readonly reused: number;
  readonly cause: BreakCause | null;
}

/** A request that begins under `head` with nothing before it. */
export function freshBase(head: HeadNode, input: readonly Item[], cause: BreakCause | null): Base {
  return {
    position: null,
    anchor: null,
    continuation: "none",
    prompt: headBase(head),
    toRender: input,
    again: 0,
    reused: 0,
    cause,
  };
}

/**
 * Continues a response by id. Under another head or renderer its items are rendered anew, on the new head;
 * their number is known, so the lap can say what the change cost.
 */
export function baseById(
  node: ChainNode,
  head: HeadNode,
  fingerprint: string,
  input: readonly Item[],
  keepTokens: boolean,
): Base {
  const position = { node, kept: node.items.length };
  const sameHead = node.head.hash === head.hash && node.fingerprint === fingerprint;
  if (sameHead && keepTokens) return continueAt(position, "id", head, input);
  const before = itemsUpTo(position);
  const changed = node.fingerprint === fingerprint ? "fingerprint_changed" : "renderer_changed";
  return {
    position,
    anchor: null,
    continuation: "id",
    prompt: headBase(head),
    toRender: [...before, ...input],
    again: before.length,
    reused: 0,
    cause: sameHead ? "reuse_off" : changed,
  };
}

/**
 * Continues the deepest boundary of any held chain that the input begins with, found by content: a full
 * resend over HTTP, after a reconnect, on resume or after a fork, with or without ids.
 */
export function baseByLineage(index: ChainIndex, head: HeadNode, input: readonly Item[]): Base {
  const lineages: string[] = [];
  for (const item of input) lineages.push(nextLineage(lineages.at(-1) ?? head.lineage, item));
  const found = index.byLineage(lineages);
  const cause = input.some(isAnswerItem) ? "lineage_miss" : null;
  if (found === null) return freshBase(head, input, cause);
  return continueAt(found.position, "lineage", head, input.slice(found.items));
}

/** The same base with no tokens but the head's: all its items are rendered, and what was sampled is encoded. */
export function withoutTokens(base: Base, head: HeadNode): Base {
  const before = itemsBefore(base);
  return {
    ...base,
    anchor: null,
    prompt: headBase(head),
    toRender: [...before, ...base.toRender],
    again: before.length + base.again,
    reused: 0,
    cause: base.cause ?? (before.some(isAnswerItem) ? "reencoded" : null),
  };
}

/** Goes back to the last mark that does not fall inside a token; the items after it are rendered again. */
function continueAt(
  position: ChainPosition,
  continuation: Continuation,
  head: HeadNode,
  input: readonly Item[],
): Base {
  const again: Item[] = [];
  let at: ChainPosition | null = position;
  while (at !== null) {
    if (at.kept === 0) {
      at = at.node.parent === null ? null : { node: at.node.parent, kept: at.node.parentItems };
      continue;
    }
    const mark = at.node.marks[at.kept - 1];
    if (mark?.aligned === true) break;
    const item = at.node.items[at.kept - 1];
    if (item !== undefined) again.unshift(item);
    at = { node: at.node, kept: at.kept - 1 };
  }
  const mark = at === null ? null : markAt(at);
  const prompt =
    at === null || mark === null
      ? headBase(head)
      : { rope: at.node.rope.cut(mark.end), state: mark.state, lineage: mark.lineage };
  return {
    position,
    anchor: at,
    continuation,
    prompt,
    toRender: [...again, ...input],
    again: again.length,
    reused: itemCount(position) - again.length,
    cause: again.length === 0 ? null : "boundary_unaligned",
  };
}

/** The items whose tokens a base keeps, oldest first. */
export function itemsBefore({ anchor }: Base): Item[] {
  return anchor === null ? [] : itemsUpTo(anchor);
}
