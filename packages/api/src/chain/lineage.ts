import { createHash } from "node:crypto";
import type { Hash } from "@slipstream-stack/inference";
import { type Item, itemIdentity } from "@slipstream-stack/protocol";

const known = new WeakMap<Item, Hash>();

function digest(...parts: readonly string[]): Hash {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part).update("\0");
  return hash.digest("hex").slice(0, 32);
}

/** Hash of an item's rendered fields; ids, status and key order do not count. Remembered by object. */
export function itemHash(item: Item): Hash {
  const before = known.get(item);
  if (before !== undefined) return before;
  const hash = digest("item", itemIdentity(item));
  known.set(item, hash);
  return hash;
}

/** Lineage of the empty conversation: rooted in scope, head and renderer, so none of them can be mixed up. */
export function rootLineage(scopeRoot: Hash, head: Hash, fingerprint: Hash): Hash {
  return digest("lineage", scopeRoot, head, fingerprint);
}

/** lineage(k) = H(lineage(k-1), itemHash(k)). */
export function nextLineage(before: Hash, item: Item): Hash {
  return digest(before, itemHash(item));
}
