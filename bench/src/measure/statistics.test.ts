import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { median, medianInterval, quantile } from "./statistics.ts";

const values = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 40 });

test("quantiles interpolate between neighbours and ignore the order given", () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 2, 3]), 2.5);
  assert.equal(quantile([10, 20], 0.25), 12.5);
  assert.equal(quantile([7], 0.99), 7);
  assert.ok(Number.isNaN(median([])));
});

test("the interval of ten values takes the second and the ninth", () => {
  const ten = [10, 1, 9, 2, 8, 3, 7, 4, 6, 5];
  const { low, high, coverage } = medianInterval(ten);
  assert.deepEqual([low, high], [2, 9]);
  // 1 - 2 (1 + 10) / 1024, as in the tables.
  assert.ok(Math.abs(coverage - 0.978515625) < 1e-12);
});

test("known ranks of larger samples", () => {
  const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
  assert.deepEqual(ranks(upTo(20)), [6, 15]);
  assert.deepEqual(ranks(upTo(30)), [10, 21]);
  assert.deepEqual(ranks(upTo(6)), [1, 6]);
});

test("too few values give their extremes and say what those are worth", () => {
  const { low, high, coverage } = medianInterval([5, 1, 3]);
  assert.deepEqual([low, high, coverage], [1, 5, 0.75]);
  assert.equal(medianInterval([4]).coverage, 0);
});

test("the interval holds the median and widens with the confidence", () => {
  fc.assert(
    fc.property(values, (sample) => {
      const usual = medianInterval(sample);
      const wide = medianInterval(sample, 0.999);
      assert.ok(usual.low <= median(sample) && median(sample) <= usual.high);
      assert.ok(wide.low <= usual.low && usual.high <= wide.high && wide.coverage >= usual.coverage);
    }),
  );
});

function ranks(sample: readonly number[]): number[] {
  const { low, high } = medianInterval(sample);
  return [low, high];
}
