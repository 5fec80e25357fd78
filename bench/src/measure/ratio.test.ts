import assert from "node:assert/strict";
import { test } from "node:test";
import { differenceOf, pick, ratioOf } from "./ratio.ts";

test("a ratio is taken pair by pair, so that drift common to both does not show", () => {
  const first = [1, 10, 100, 5, 7, 3];
  const figures = { first, second: first.map((figure) => figure * 4) };
  assert.deepEqual(ratioOf(figures), { median: 4, low: 4, high: 4, coverage: 0.96875, pairs: 6 });
});

test("one strange pair does not move the median", () => {
  const ratio = ratioOf({ first: [1, 1, 1, 1, 1], second: [2, 2, 2, 2, 500] });
  assert.equal(ratio.median, 2);
  assert.equal(ratio.high, 500);
});

test("differences keep the unit", () => {
  assert.equal(differenceOf({ first: [10, 20, 30], second: [11, 22, 33] }).median, 2);
});

test("a figure is picked on both sides", () => {
  const figures = { first: [{ ms: 1 }], second: [{ ms: 2 }, { ms: 3 }] };
  assert.deepEqual(
    pick(figures, ({ ms }) => ms),
    { first: [1], second: [2, 3] },
  );
});
