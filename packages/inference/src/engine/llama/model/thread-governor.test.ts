import assert from "node:assert/strict";
import { test } from "node:test";
import { ThreadGovernor } from "./thread-governor.ts";

const settings = { windowMs: 100, leastShare: 0.8, firstRetryMs: 200, longestRetryMs: 1_600 };

/** Runs steps of 10 ms on a machine that grants so many cores; returns the threads after each. */
function run(governor: ThreadGovernor, steps: number, cores: number): number[] {
  return Array.from({ length: steps }, () => governor.observe(10 * Math.min(cores, governor.threads), 10));
}

test("a free machine is used in full, always", () => {
  const governor = new ThreadGovernor(4, settings);
  assert.deepEqual(new Set(run(governor, 500, 4)), new Set([4]));
});

test("cores that are taken away cost threads, one a window, down to one", () => {
  const governor = new ThreadGovernor(4, settings);
  const threads = run(governor, 40, 0.5);
  assert.deepEqual([threads[8], threads[9], threads[19], threads[29], threads[39]], [4, 3, 2, 1, 1]);
});

test("after a moment's load the full number is back soon", () => {
  const governor = new ThreadGovernor(2, settings);
  run(governor, 10, 1);
  assert.equal(governor.threads, 1);
  assert.ok(run(governor, 30, 2).includes(2));
  assert.equal(governor.threads, 2);
});

test("on a machine that stays taken trials become rare, and end once it is free", () => {
  const governor = new ThreadGovernor(2, settings);
  const early = run(governor, 300, 1).filter((threads) => threads === 2).length;
  const late = run(governor, 300, 1).filter((threads) => threads === 2).length;
  assert.ok(late < early, `${late} of 300 steps at full against ${early} at first`);
  run(governor, 400, 2);
  assert.equal(governor.threads, 2);
});

test("a single thread stays", () => {
  assert.deepEqual(new Set(run(new ThreadGovernor(1, settings), 100, 0.1)), new Set([1]));
});
