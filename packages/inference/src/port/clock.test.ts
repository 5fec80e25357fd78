import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "./clock.ts";

test("the system clock moves forward and sleeps at least as long as asked", async () => {
  const before = systemClock.now();
  await systemClock.sleep(2);
  await systemClock.sleep(0);
  assert.ok(systemClock.now() - before >= 1);
  assert.ok(systemClock.wallClock() > 0);
});

test("an aborted sleep rejects with the signal's own reason", async () => {
  const reason = new Error("enough");
  const controller = new AbortController();
  const sleeping = systemClock.sleep(60_000, controller.signal);
  controller.abort(reason);
  await assert.rejects(sleeping, (error) => error === reason);
  await assert.rejects(systemClock.sleep(0, AbortSignal.abort(reason)), (error) => error === reason);
});
