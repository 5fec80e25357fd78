import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { lruWithHints } from "./lru-with-hints.ts";
import type { RetentionEntry } from "./retention-policy.ts";

function entry(changes: Partial<RetentionEntry>): RetentionEntry {
  return { lastUsed: 0, hint: null, retain: null, ...changes };
}

const anyEntry: fc.Arbitrary<RetentionEntry> = fc.record({
  lastUsed: fc.nat(5),
  hint: fc.constantFrom("dead", "idle", "soon", null),
  retain: fc.option(fc.record({ priority: fc.integer({ min: -1, max: 2 }), until: fc.nat(10) })),
});

test("dead goes before idle, idle before what nobody spoke of, and what comes back soon stays longest", () => {
  const entries = [entry({ hint: "soon" }), entry({}), entry({ hint: "dead" }), entry({ hint: "idle" })];
  const order = entries.toSorted((first, second) => lruWithHints.compare(first, second, 0));
  assert.deepEqual(
    order.map(({ hint }) => hint),
    ["dead", "idle", null, "soon"],
  );
});

test("within a class the least recently used goes first", () => {
  assert.ok(lruWithHints.compare(entry({ lastUsed: 1 }), entry({ lastUsed: 2 }), 5) < 0);
});

test("a retention priority counts until its time has passed", () => {
  const kept = entry({ lastUsed: 1, retain: { priority: 50, until: 100 } });
  const newer = entry({ lastUsed: 2 });
  assert.ok(lruWithHints.compare(kept, newer, 99) > 0);
  assert.ok(lruWithHints.compare(kept, newer, 100) < 0);
});

test("it is an order: antisymmetric and transitive", () => {
  fc.assert(
    fc.property(anyEntry, anyEntry, anyEntry, fc.nat(10), (first, second, third, now) => {
      const compare = (one: RetentionEntry, other: RetentionEntry) =>
        Math.sign(lruWithHints.compare(one, other, now));
      assert.equal(compare(first, second) + compare(second, first), 0);
      if (compare(first, second) <= 0 && compare(second, third) <= 0) assert.ok(compare(first, third) <= 0);
    }),
  );
});
