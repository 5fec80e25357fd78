import assert from "node:assert/strict";
import { test } from "node:test";
import { gapsWithin } from "./token-gaps.ts";

test("only gaps that lie wholly within the window count", () => {
  assert.deepEqual(gapsWithin([0, 10, 25, 45, 70], 10, 45), [15, 20]);
  assert.deepEqual(gapsWithin([0, 10, 25], 11, 12), []);
  assert.deepEqual(gapsWithin([], 0, 1), []);
});
