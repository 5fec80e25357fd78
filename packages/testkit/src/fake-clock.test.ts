import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "./fake-clock.ts";

test("time stands still until it is moved, on both faces", async () => {
  const clock = new FakeClock(5000);
  assert.deepEqual([clock.now(), clock.wallClock()], [0, 5000]);
  await clock.advance(250);
  assert.deepEqual([clock.now(), clock.wallClock()], [250, 5250]);
});

test("sleepers wake in the order of their times, each at its own", async () => {
  const clock = new FakeClock();
  const woken: [string, number][] = [];
  const sleep = async (name: string, ms: number) => {
    await clock.sleep(ms);
    woken.push([name, clock.now()]);
  };
  const all = [sleep("late", 30), sleep("early", 10), sleep("never", 1000)];
  await clock.advance(30);
  assert.deepEqual(woken, [
    ["early", 10],
    ["late", 30],
  ]);
  assert.equal(clock.sleeping, 1);
  await clock.advance(1000);
  await Promise.all(all);
});

test("a sleep begun by what another sleep woke is over within the same advance", async () => {
  const clock = new FakeClock();
  const nested = (async () => {
    for (let lap = 0; lap < 5; lap++) await clock.sleep(10);
    return clock.now();
  })();
  await clock.advance(1000);
  assert.equal(await nested, 50);
  assert.equal(clock.now(), 1000);
});

test("a sleep of 0 needs no advance, and an aborted one rejects with the reason and is forgotten", async () => {
  const clock = new FakeClock();
  await clock.sleep(0);
  const controller = new AbortController();
  const sleeping = clock.sleep(10, controller.signal);
  const reason = new Error("enough");
  controller.abort(reason);
  await assert.rejects(sleeping, (error) => error === reason);
  await assert.rejects(clock.sleep(10, controller.signal), (error) => error === reason);
  assert.equal(clock.sleeping, 0);
});
