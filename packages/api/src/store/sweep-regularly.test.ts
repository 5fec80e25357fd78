import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Clock } from "@slipstream-stack/inference";
import { createMemoryStore } from "./memory-store.ts";
import type { Store } from "./store.ts";
import { sweepRegularly } from "./sweep-regularly.ts";
import { responseWriteFixture } from "./testing/response-write.ts";

/** A clock whose every sleep ends at once and moves the time; stops the loop after `sleeps` long ones. */
function jumpingClock(sleeps: number, controller: AbortController): Clock & { readonly slept: number[] } {
  let now = 0;
  const slept: number[] = [];
  return {
    slept,
    now: () => now,
    wallClock: () => now,
    async sleep(ms) {
      now += ms;
      slept.push(ms);
      if (slept.filter((entry) => entry > 0).length >= sleeps) controller.abort();
    },
  };
}

const pace = { intervalMs: 1_000, limit: 2 };
const fail = (error: unknown) => assert.fail(String(error));

describe("regular sweeping", () => {
  it("takes what has expired at its time, in steps, until it is told to stop", async () => {
    const controller = new AbortController();
    const clock = jumpingClock(3, controller);
    const store = createMemoryStore({ clock });
    for (let index = 0; index < 7; index += 1) {
      await store.commit(responseWriteFixture(`e${index}`, { expiresAt: 1_500 }));
    }
    const removed: number[] = [];
    const counted: Store = {
      ...storeCalls(store),
      sweep: async (now, limit) => {
        const swept = await store.sweep(now, limit);
        removed.push(swept.removed);
        return swept;
      },
    };
    await sweepRegularly(counted, clock, controller.signal, fail, pace);
    assert.equal(Math.max(...removed), 2);
    assert.equal(
      removed.reduce((sum, count) => sum + count, 0),
      7,
    );
    // Nothing at 0 and 1,000 ms, all of it at 2,000.
    assert.deepEqual(removed.slice(0, 2), [0, 0]);
    assert.equal(clock.slept.filter((ms) => ms === 1_000).length, 3);
  });

  it("goes on after a sweep that failed", async () => {
    const controller = new AbortController();
    const clock = jumpingClock(3, controller);
    const errors: unknown[] = [];
    const store = createMemoryStore();
    let sweeps = 0;
    const failing: Store = {
      ...storeCalls(store),
      sweep: async () => {
        sweeps += 1;
        if (sweeps === 1) throw new Error("no disk");
        return { removed: 0, more: false };
      },
    };
    await sweepRegularly(failing, clock, controller.signal, (error) => errors.push(error), pace);
    assert.equal(errors.length, 1);
    assert.equal(sweeps, 3);
  });

  it("does nothing when it is told to stop before it begins", async () => {
    const store = { ...storeCalls(createMemoryStore()), sweep: () => assert.fail("swept") };
    await sweepRegularly(store, jumpingClock(1, new AbortController()), AbortSignal.abort(), fail);
  });
});

/** A store's calls as an object that a test can replace one of. */
function storeCalls(store: Store): Store {
  return {
    commit: (write) => store.commit(write),
    response: (scope, id) => store.response(scope, id),
    chain: (scope, id) => store.chain(scope, id),
    inputItems: (scope, id, page) => store.inputItems(scope, id, page),
    lap: (scope, id) => store.lap(scope, id),
    remove: (scope, id) => store.remove(scope, id),
    sweep: (now, limit) => store.sweep(now, limit),
    close: () => store.close(),
  };
}
