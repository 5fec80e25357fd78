import type { RetentionEntry, RetentionPolicy } from "./retention-policy.ts";

const hintRank = { dead: 0, idle: 1, none: 2, soon: 3 } as const;

function priorityAt(entry: RetentionEntry, now: number): number {
  return entry.retain !== null && entry.retain.until > now ? entry.retain.priority : 0;
}

/**
 * Least recently used first, within classes: dead branches, then idle turns, then what nobody spoke of, last
 * what is expected back soon. A retention priority orders within a class until its time has passed.
 */
export const lruWithHints: RetentionPolicy = {
  id: "lru-with-hints",
  compare(first, second, now) {
    const byHint = hintRank[first.hint ?? "none"] - hintRank[second.hint ?? "none"];
    if (byHint !== 0) return byHint;
    const byPriority = priorityAt(first, now) - priorityAt(second, now);
    return byPriority !== 0 ? byPriority : first.lastUsed - second.lastUsed;
  },
};
