import { type Hash, PrefixHasher, type PrefixRef, type RopeView } from "@slipstream-stack/inference";

/**
 * A prompt made of plain token ids, for tests that need no chain. `cuts`: lengths in tokens of node ends,
 * besides the whole. Everything is hashed once, when it is made.
 */
export function tokenRope(root: Hash, ids: Uint32Array, cuts: readonly number[] = []): RopeView {
  const refs: PrefixRef[] = [];
  let hasher = PrefixHasher.at(root);
  for (const cut of [...new Set([...cuts, ids.length])].sort((first, second) => first - second)) {
    const extended = hasher.extend(ids.subarray(hasher.length, cut));
    hasher = extended.hasher;
    refs.push(...extended.blocks.filter((block) => block.length !== cut), hasher.ref());
  }
  const deepestFirst = refs.reverse();
  return {
    length: ids.length,
    tip: hasher.ref(),
    root,
    boundaries: () => deepestFirst,
    slice: (from, to) => ids.slice(from, to),
  };
}
