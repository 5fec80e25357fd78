import type { Hash, PrefixRef } from "../../../port/prefix.ts";
import { isResident, type Sequence, shareable } from "./sequence.ts";

/** A sequence that begins like a prompt. */
export interface PrefixMatch {
  readonly sequence: Sequence;
  /** Leading tokens that need no evaluation: at least one token of the prompt always does. */
  readonly length: number;
  /** Leading tokens in common, those that its owner is still to evaluate included. */
  readonly planned: number;
}

/** Whether a prompt can go on where the sequence ends, with nothing copied and nobody else on it. */
export function extendsTip({ sequence, length }: PrefixMatch): boolean {
  return sequence.owner === null && sequence.evaluated === length;
}

/** The best sequence for a prompt: most tokens, then the one that can be extended, then the resident one. */
export function matchPrefix(
  sequences: Iterable<Sequence>,
  root: Hash,
  prompt: Uint32Array,
  least: number,
  mayFork = true,
): PrefixMatch | null {
  let best: PrefixMatch | null = null;
  for (const match of prefixMatches(sequences, root, prompt, least)) {
    if (!mayFork && !extendsTip(match)) continue;
    if (match.length > 0 && (best === null || compareMatches(match, best) < 0)) best = match;
  }
  return best;
}

/** The running prefill that will soon hold more of a prompt than `held`, or null. */
export function matchPlanned(
  sequences: Iterable<Sequence>,
  root: Hash,
  prompt: Uint32Array,
  held: number,
  worthwhile: number,
): PrefixMatch | null {
  let best: PrefixMatch | null = null;
  for (const match of prefixMatches(sequences, root, prompt, 1)) {
    const running = match.sequence.owner !== null && match.planned > match.length;
    if (!running || match.planned < held + worthwhile) continue;
    if (best === null || match.planned > best.planned) best = match;
  }
  return best;
}

/** The deepest of `refs` that a sequence stands for, planned tokens included. */
export function resolveRef(
  sequences: Iterable<Sequence>,
  root: Hash,
  refs: readonly PrefixRef[],
): { ref: PrefixRef; sequence: Sequence } | null {
  const candidates = [...sequences].filter(
    (sequence) => sequence.tokens.root === root && sequence.visible > 0,
  );
  for (const ref of [...refs].sort((a, b) => b.length - a.length)) {
    for (const sequence of candidates) {
      if (ref.length <= sequence.visible && sequence.tokens.holds(ref)) return { ref, sequence };
    }
  }
  return null;
}

function* prefixMatches(
  sequences: Iterable<Sequence>,
  root: Hash,
  prompt: Uint32Array,
  least: number,
): Iterable<PrefixMatch> {
  const most = prompt.length - least;
  for (const sequence of sequences) {
    if (sequence.tokens.root !== root || sequence.visible === 0) continue;
    const common = Math.min(sequence.tokens.common(prompt), sequence.visible, most);
    yield { sequence, length: Math.min(common, shareable(sequence)), planned: common };
  }
}

function compareMatches(a: PrefixMatch, b: PrefixMatch): number {
  return b.length - a.length || rank(a) - rank(b) || b.sequence.usedAt - a.sequence.usedAt;
}

function rank(match: PrefixMatch): number {
  return (extendsTip(match) ? 0 : 2) + (isResident(match.sequence) ? 0 : 1);
}
