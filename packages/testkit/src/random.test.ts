import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "./random.ts";

const draw = (seed: number, count: number) => {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => random.next());
};

test("equal seeds give equal sequences and different ones different", () => {
  assert.deepEqual(draw(7, 50), draw(7, 50));
  assert.notDeepEqual(draw(7, 50), draw(8, 50));
});

test("numbers lie in [0, 1) and spread evenly", () => {
  const numbers = draw(1, 20_000);
  assert.ok(numbers.every((number) => number >= 0 && number < 1));
  for (let part = 0; part < 10; part++) {
    const share = numbers.filter((number) => Math.floor(number * 10) === part).length / numbers.length;
    assert.ok(share > 0.09 && share < 0.11, `${part}: ${share}`);
  }
});

test("below, pick and chance stay in their range", () => {
  const random = seededRandom(3);
  const seen = new Set(Array.from({ length: 200 }, () => random.below(3)));
  assert.deepEqual([...seen].sort(), [0, 1, 2]);
  assert.ok(["a", "b"].includes(random.pick(["a", "b"])));
  assert.throws(() => random.pick([]), RangeError);
  assert.equal(random.chance(0), false);
  assert.equal(random.chance(1), true);
});
