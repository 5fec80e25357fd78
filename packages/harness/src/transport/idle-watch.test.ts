import assert from "node:assert/strict";
import { test } from "node:test";
import { IdleWatch } from "./idle-watch.ts";
import { ManualClock } from "./testing/test-ports.ts";

test("silence calls back once, a sign of life puts it off, stop ends it", () => {
  const clock = new ManualClock();
  let calls = 0;
  const watch = new IdleWatch(clock, 100, () => {
    calls += 1;
  });
  clock.advance(90);
  watch.sign();
  clock.advance(90);
  assert.equal(calls, 0);
  clock.advance(10);
  assert.equal(calls, 1);

  const stopped = new IdleWatch(clock, 100, () => {
    calls += 1;
  });
  stopped.stop();
  clock.advance(1000);
  assert.equal(calls, 1);
  assert.equal(clock.waiting, 0);
});
