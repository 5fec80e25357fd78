import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultLimits } from "./limits.ts";
import { Outlet } from "./outlet.ts";
import { ManualClock } from "./testing/manual-clock.ts";

const limits = { ...defaultLimits, sendBufferBytes: 10, sendBufferHardBytes: 40, sendStallMs: 1000 };

function testOutlet() {
  const clock = new ManualClock();
  const written: (() => void)[] = [];
  const state = { cut: 0, stalled: 0, sinkCut: 0 };
  const count = (name: keyof typeof state) => () => {
    state[name] += 1;
  };
  const sink = { write: (_text: string, done: () => void) => void written.push(done), cut: count("sinkCut") };
  const outlet = new Outlet(sink, limits, clock, { stalled: count("stalled"), cut: count("cut") });
  return { clock, written, state, outlet };
}

async function isPending(promise: Promise<void>): Promise<boolean> {
  let pending = true;
  void promise.then(() => {
    pending = false;
  });
  await new Promise((resolve) => setImmediate(resolve));
  return pending;
}

test("a client that keeps up never makes anyone wait", async () => {
  const { outlet, written, state } = testOutlet();
  for (let index = 0; index < 100; index += 1) {
    const sent = outlet.send("12345");
    written.shift()?.();
    assert.equal(await isPending(sent), false);
  }
  assert.deepEqual(state, { cut: 0, stalled: 0, sinkCut: 0 });
  assert.equal(outlet.unsent, 0);
});

test("above the limit the sender waits until half is free again", async () => {
  const { outlet, written, state } = testOutlet();
  assert.equal(await isPending(outlet.send("12345")), false);
  const waiting = outlet.send("1234567");
  assert.equal(await isPending(waiting), true);
  written[0]?.();
  assert.equal(await isPending(waiting), true, "seven of ten are still unsent");
  written[1]?.();
  await waiting;
  assert.equal(state.stalled, 1);
});

test("a client that stops reading is cut after a while, and nobody waits any more", async () => {
  const { outlet, clock, state } = testOutlet();
  const waiting = outlet.send("12345678901234567890");
  await clock.advance(999);
  assert.equal(state.sinkCut, 0);
  await clock.advance(1);
  await waiting;
  assert.deepEqual(state, { cut: 1, stalled: 1, sinkCut: 1 });
  await outlet.send("more");
  assert.equal(outlet.unsent, 20, "nothing is handed to a closed outlet");
});

test("a client too far behind is cut at once", async () => {
  const { outlet, state } = testOutlet();
  await outlet.send("x".repeat(41));
  assert.equal(state.sinkCut, 1);
});

test("closing lets waiting senders go without cutting", async () => {
  const { outlet, state, clock } = testOutlet();
  const waiting = outlet.send("x".repeat(20));
  outlet.close();
  await waiting;
  await clock.advance(10_000);
  assert.equal(state.sinkCut, 0);
});
