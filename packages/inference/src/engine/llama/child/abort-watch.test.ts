import assert from "node:assert/strict";
import { test } from "node:test";
import { AbortWatch } from "./abort-watch.ts";

function watching(...batch: number[]): { watch: AbortWatch; running: Int32Array; raised: () => number } {
  const shared = new SharedArrayBuffer(4 * 9);
  const running = new Int32Array(shared);
  running.set([batch.length, ...batch]);
  let raised = 0;
  const watch = new AbortWatch(shared, () => {
    raised += 1;
  });
  return { watch, running, raised: () => raised };
}

test("the flag is raised when the last request of the batch is cancelled", () => {
  const { watch, raised } = watching(3, 5);
  watch.cancel(5);
  watch.cancel(9);
  assert.equal(raised(), 0);
  watch.cancel(3);
  assert.equal(raised(), 1);
});

test("a cancel that the step loop has not read yet counts in the batch it then starts", () => {
  const { watch, running, raised } = watching();
  watch.cancel(3);
  assert.equal(raised(), 0);
  running.set([2, 3, 4]);
  watch.cancel(4);
  assert.equal(raised(), 1);
});
