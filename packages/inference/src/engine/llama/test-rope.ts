import { PrefixHasher } from "../../kv/prefix-hash.ts";
import type { PrefixRef, RopeView } from "../../port/prefix.ts";

export const testRoot = "a".repeat(32);

/** A rope made of parts; each end of a part is a boundary. */
export function testRope(root: string, ...parts: readonly Uint32Array[]): RopeView {
  let hasher = PrefixHasher.at(root);
  const ends: PrefixRef[] = [];
  const blocks: PrefixRef[] = [];
  for (const part of parts) {
    const extended = hasher.extend(part);
    hasher = extended.hasher;
    ends.unshift(hasher.ref());
    blocks.unshift(...extended.blocks.toReversed());
  }
  const ids = Uint32Array.from(parts.flatMap((part) => [...part]));
  return {
    length: ids.length,
    tip: hasher.ref(),
    root,
    boundaries: () => [...ends, ...blocks],
    slice: (from, to) => ids.slice(from, to ?? ids.length),
  };
}
