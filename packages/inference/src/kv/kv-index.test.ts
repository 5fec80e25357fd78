import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { KvEvent } from "../port/kv-event.ts";
import type { Tier } from "../port/tier.ts";
import { KvIndex } from "./kv-index.ts";

const common = { epoch: "e", seq: 1n };
const stored = (block: string, tier: Tier = "hot"): KvEvent => ({
  ...common,
  tier,
  type: "stored",
  parent: null,
  blocks: [block],
});
const removed = (block: string, tier: Tier = "hot"): KvEvent => ({
  ...common,
  tier,
  type: "removed",
  blocks: [block],
});
const cleared: KvEvent = { ...common, tier: "hot", type: "cleared" };
const boundaries = (...hashes: string[]) =>
  hashes.map((hash, index) => ({ hash, length: (hashes.length - index) * 64 }));

test("each worker is credited with the deepest block it holds", () => {
  const index = new KvIndex();
  for (const block of ["x", "y", "z"]) index.apply("a", stored(block));
  index.apply("b", stored("x"));
  const held = index.heldBy(["a", "b", "c"], boundaries("z", "y", "x"));
  assert.deepEqual(
    [...held],
    [
      ["a", 192],
      ["b", 64],
      ["c", 0],
    ],
  );
});

test("looking stops when all workers are found", () => {
  const index = new KvIndex();
  index.apply("a", stored("deep"));
  let looked = 0;
  const lazily = function* () {
    for (const boundary of boundaries("deep", "shallow")) {
      looked++;
      yield boundary;
    }
  };
  assert.equal(index.heldBy(["a"], lazily()).get("a"), 128);
  assert.equal(looked, 1);
});

test("a block that moves down a tier is held all the time", () => {
  const index = new KvIndex();
  index.apply("a", stored("x"));
  index.apply("a", stored("x", "ram"));
  index.apply("a", removed("x"));
  assert.equal(index.heldBy(["a"], boundaries("x")).get("a"), 64);
  index.apply("a", removed("x", "ram"));
  assert.equal(index.heldBy(["a"], boundaries("x")).get("a"), 0);
  assert.equal(index.size, 0);
});

test("cleared forgets one worker and no other", () => {
  const index = new KvIndex();
  index.apply("a", stored("x"));
  index.apply("b", stored("x"));
  index.apply("a", cleared);
  assert.deepEqual(
    [...index.heldBy(["a", "b"], boundaries("x"))],
    [
      ["a", 0],
      ["b", 64],
    ],
  );
});

test("the index stays within its bytes", () => {
  const index = new KvIndex(256 * 10);
  for (let block = 0; block < 1000; block++) index.apply("a", stored(`block ${block}`));
  assert.equal(index.size, 10);
  assert.equal(index.heldBy(["a"], boundaries("block 999")).get("a"), 64);
});

test("any history leaves the same as a plain set for each worker", () => {
  const event = fc.tuple(
    fc.constantFrom("a", "b"),
    fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom("x", "y").map((block) => stored(block)) },
      { weight: 3, arbitrary: fc.constantFrom("x", "y").map((block) => removed(block)) },
      { weight: 1, arbitrary: fc.constant(cleared) },
    ),
  );
  fc.assert(
    fc.property(fc.array(event, { maxLength: 40 }), (history) => {
      const index = new KvIndex();
      const naive = new Map([
        ["a", new Set<string>()],
        ["b", new Set<string>()],
      ]);
      for (const [worker, told] of history) {
        index.apply(worker, told);
        const set = naive.get(worker)!;
        if (told.type === "cleared") set.clear();
        else if (told.type === "stored") set.add(told.blocks[0]!);
        else set.delete(told.blocks[0]!);
      }
      for (const block of ["x", "y"]) {
        const held = index.heldBy(["a", "b"], boundaries(block));
        for (const worker of ["a", "b"])
          assert.equal(held.get(worker), naive.get(worker)!.has(block) ? 64 : 0);
      }
    }),
  );
});
