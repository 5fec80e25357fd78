import assert from "node:assert/strict";
import { test } from "node:test";
import { rotateSides } from "./rotate-sides.ts";

test("every side runs once a round, each round in another order", async () => {
  const order: string[] = [];
  await rotateSides(["a", "b", "c"], 3, async (side) => order.push(side));
  assert.deepEqual(order.join(""), "abc" + "acb" + "cab");
});

test("figures stay with their side, in the order of the rounds", async () => {
  const figures = await rotateSides(["a", "b"], 2, async (side, round) => `${side}${round}`);
  assert.deepEqual(Object.fromEntries(figures), { a: ["a0", "a1"], b: ["b0", "b1"] });
});

test("a side that fails ends the run", async () => {
  const failure = new Error("no");
  await assert.rejects(
    rotateSides(["a"], 2, () => Promise.reject(failure)),
    (error) => error === failure,
  );
});
