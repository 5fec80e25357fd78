import assert from "node:assert/strict";
import { test } from "node:test";
import { timeToBuild } from "./time-to-build.ts";

test("both ways are timed in pairs, on the clock given", async () => {
  let time = 0;
  const figures = await timeToBuild({ items: 20, bytes: 4_000, pairs: 3, now: () => (time += 2) });
  assert.deepEqual(figures, { first: [2, 2, 2], second: [2, 2, 2] });
});
