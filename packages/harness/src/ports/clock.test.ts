import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../transport/testing/test-ports.ts";
import { sleep } from "./clock.ts";
import { randomIds } from "./ids.ts";
import { systemClock } from "./system-clock.ts";

test("a sleep ends with its time and leaves nothing behind", async () => {
  const clock = new ManualClock();
  const sleeping = sleep(clock, 100, new AbortController().signal);
  clock.advance(100);
  await sleeping;
  assert.equal(clock.waiting, 0);
});

test("an abort ends a sleep with its reason, before or in the middle of it", async () => {
  const clock = new ManualClock();
  const abort = new AbortController();
  const reason = new Error("stop");
  const sleeping = assert.rejects(sleep(clock, 100, abort.signal), (error) => error === reason);
  abort.abort(reason);
  await sleeping;
  await assert.rejects(sleep(clock, 100, abort.signal), (error) => error === reason);
  assert.equal(clock.waiting, 0);
});

test("the machine's clock goes forward and its timers can be taken back", async () => {
  const before = systemClock.now();
  let fired = false;
  const cancel = systemClock.after(1, () => {
    fired = true;
  });
  cancel();
  await new Promise<void>((resolve) => void systemClock.after(10, resolve));
  assert.equal(fired, false);
  assert.ok(systemClock.now() > before);
});

test("identifiers carry their prefix and do not repeat", () => {
  const ids = Array.from({ length: 100 }, () => randomIds.next("turn"));
  assert.equal(new Set(ids).size, 100);
  for (const id of ids) assert.match(id, /^turn_[0-9a-f]{32}$/);
});
