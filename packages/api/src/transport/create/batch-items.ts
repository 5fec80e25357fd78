import type { Item } from "@slipstream-stack/protocol";

/** Roughly what a value weighs: the text units of its strings and keys. */
function weight(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 8;
  if (Array.isArray(value)) return value.reduce<number>((sum, entry) => sum + weight(entry), 8);
  return Object.entries(value).reduce<number>((sum, [key, entry]) => sum + key.length + weight(entry), 8);
}

/** Cuts items into batches of about `size` text units each, at least one item in each; the last one says so. */
export function* batchItems(
  items: readonly Item[],
  size: number,
): Generator<{ items: Item[]; isLast: boolean }, void, void> {
  let batch: Item[] = [];
  let filled = 0;
  for (const item of items) {
    batch.push(item);
    filled += weight(item);
    if (filled < size) continue;
    yield { items: batch, isLast: false };
    batch = [];
    filled = 0;
  }
  yield { items: batch, isLast: true };
}
