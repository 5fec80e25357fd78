import assert from "node:assert/strict";
import { test } from "node:test";
import { testRope } from "../test-rope.ts";
import { BelievedPrefixes } from "./believed-prefixes.ts";

const root = "a".repeat(32);
const parts = [200, 30, 5].map((length) => new Uint32Array(length).fill(length));

test("only believed boundaries are named, deepest first, at most eight", () => {
  const rope = testRope(root, ...parts);
  const [tip, second, first, ...blocks] = [...rope.boundaries()];
  const held = new Set<string>();
  const believed = new BelievedPrefixes(held);
  assert.deepEqual(believed.of(rope), []);
  believed.add(first!);
  held.add(blocks[0]!.hash);
  assert.deepEqual(
    believed.of(rope).map(({ length }) => length),
    [200, 192],
  );
  believed.add(second!);
  assert.equal(believed.of(rope)[0]?.length, 230);
  believed.clear();
  assert.deepEqual(
    believed.of(rope).map(({ length }) => length),
    [192],
  );
  believed.add(tip!);
  assert.equal(believed.of(rope)[0]?.length, 235);
  const long = testRope(root, ...Array.from({ length: 20 }, (_, index) => new Uint32Array(3).fill(index)));
  for (const ref of long.boundaries()) believed.add(ref);
  assert.equal(believed.of(long).length, 8);
});
