import { type Hash, PrefixHasher, type PrefixRef, type RopeView } from "@slipstream-stack/inference";
import type { Segment } from "./segment.ts";

/**
 * A persistent token sequence: it owns its delta and shares its parent. Appending costs the new tokens;
 * the whole is materialised only where `slice` is asked for it. Its identity is a hash chain that does not
 * depend on how the tokens were cut into segments.
 */
export class Rope implements RopeView {
  readonly parent: Rope | null;
  readonly segments: readonly Segment[];
  readonly root: Hash;
  readonly tip: PrefixRef;
  readonly #hasher: PrefixHasher;
  readonly #blocks: readonly PrefixRef[];

  private constructor(
    root: Hash,
    parent: Rope | null,
    segments: readonly Segment[],
    hasher: PrefixHasher,
    blocks: readonly PrefixRef[],
  ) {
    this.root = root;
    this.parent = parent;
    this.segments = segments;
    this.#hasher = hasher;
    this.#blocks = blocks;
    this.tip = hasher.ref();
  }

  /** The empty rope of a scope. */
  static empty(root: Hash): Rope {
    return new Rope(root, null, [], PrefixHasher.at(root), []);
  }

  /** Length in tokens. */
  get length(): number {
    return this.#hasher.length;
  }

  /** Where this rope's own delta begins. */
  get start(): number {
    return this.parent?.length ?? 0;
  }

  /** A rope that continues this one. */
  append(segments: readonly Segment[]): Rope {
    const own = segments.filter((segment) => segment.ids.length > 0);
    if (own.length === 0) return this;
    let hasher = this.#hasher;
    const blocks: PrefixRef[] = [];
    for (const segment of own) {
      const extended = hasher.extend(segment.ids);
      hasher = extended.hasher;
      blocks.push(...extended.blocks);
    }
    return new Rope(this.root, this, own, hasher, blocks);
  }

  /** The rope's first `length` tokens. Costs at most the delta that the cut falls into. */
  cut(length: number): Rope {
    if (length < 0 || length > this.length)
      throw new RangeError(`cut at ${length} of a rope of ${this.length} tokens`);
    let rope: Rope = this;
    while (rope.start >= length && rope.parent !== null) rope = rope.parent;
    if (rope.length === length) return rope;
    if (rope.parent === null) return Rope.empty(this.root);
    return rope.parent.append(takeTokens(rope.segments, length - rope.start));
  }

  *boundaries(): Iterable<PrefixRef> {
    let last = -1;
    for (let rope: Rope | null = this; rope !== null && rope.length > 0; rope = rope.parent) {
      if (rope.tip.length !== last) yield rope.tip;
      last = rope.tip.length;
      for (let index = rope.#blocks.length - 1; index >= 0; index--) {
        const block = rope.#blocks[index];
        if (block === undefined || block.length === last) continue;
        yield block;
        last = block.length;
      }
    }
  }

  slice(from: number, to: number = this.length): Uint32Array {
    const out = new Uint32Array(Math.max(0, to - from));
    for (let rope: Rope | null = this; rope !== null && rope.length > from; rope = rope.parent) {
      let offset = rope.start;
      for (const segment of rope.segments) {
        const begin = Math.max(offset, from);
        const end = Math.min(offset + segment.ids.length, to);
        if (begin < end) out.set(segment.ids.subarray(begin - offset, end - offset), begin - from);
        offset += segment.ids.length;
      }
    }
    return out;
  }
}

function takeTokens(segments: readonly Segment[], count: number): Segment[] {
  const taken: Segment[] = [];
  let left = count;
  for (const segment of segments) {
    if (left <= 0) break;
    taken.push(segment.ids.length <= left ? segment : { ...segment, ids: segment.ids.slice(0, left) });
    left -= segment.ids.length;
  }
  return taken;
}
