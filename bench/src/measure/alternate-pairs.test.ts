import assert from "node:assert/strict";
import { test } from "node:test";
import { alternatePairs } from "./alternate-pairs.ts";

test("the sides take turns, and the leader changes from pair to pair", async () => {
  const order: string[] = [];
  const side = (name: string) => async () => order.push(name);
  await alternatePairs({ first: side("a"), second: side("b") }, 4, 0);
  assert.equal(order.join(""), "abbaabba");
});

test("figures stay with their side, and warm-up pairs do not count", async () => {
  let calls = 0;
  const figures = await alternatePairs(
    { first: async () => `first ${++calls}`, second: async () => `second ${++calls}` },
    2,
    1,
  );
  assert.equal(calls, 6);
  assert.deepEqual(figures, { first: ["first 4", "first 5"], second: ["second 3", "second 6"] });
});

test("never two at a time, and a failure ends the run", async () => {
  let running = 0;
  const side = async () => {
    running += 1;
    assert.equal(running, 1);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
  };
  await alternatePairs({ first: side, second: side }, 3);
  const failure = new Error("no");
  await assert.rejects(
    alternatePairs({ first: side, second: () => Promise.reject(failure) }, 3),
    (error) => error === failure,
  );
});
