import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testRope } from "./test-rope.ts";
import { TestServedModel } from "./test-served-model.ts";

let served: TestServedModel;
before(async () => {
  served = await TestServedModel.start({ deterministic: true });
});
after(async () => {
  await served[Symbol.asyncDispose]();
});

const root = (digit: string): string => digit.repeat(32);

test("company and cancelled company change no output", async () => {
  const prompt = await served.chat("Write about the sea.");
  const decode = { maxTokens: 40, stopTokens: [] };
  const alone = await served.answer(testRope(root("1"), prompt), decode);
  const crowd = ["2", "3", "4"].map((digit) =>
    served.submit(testRope(root(digit), prompt), { ...decode, maxTokens: 400 }),
  );
  const ends = crowd.map((ticket) => served.collect(ticket));
  const watched = served.submit(testRope(root("5"), prompt), decode);
  let seen = 0;
  const ids: number[] = [];
  for await (const event of watched.events) {
    if (event.type !== "tokens") continue;
    ids.push(...event.ids);
    seen += 1;
    if (seen === 10) crowd[0]?.cancel();
    if (seen === 20) crowd[1]?.cancel();
  }
  crowd[2]?.cancel();
  assert.deepEqual(ids, alone.ids);
  for (const { last, ids: own } of await Promise.all(ends)) {
    assert.ok(last.type === "end" && last.reason === "cancelled");
    assert.deepEqual(own.slice(0, 10), alone.ids.slice(0, 10));
  }
});

test("a reused prompt gives the same text and log probabilities as an evaluated one", async () => {
  const ids = (await served.encode("Notes on tides, wind and sand. ".repeat(150))).slice(0, 900);
  const decode = { maxTokens: 20, stopTokens: [], logprobs: true };
  const whole = await served.answer(testRope(root("6"), ids), decode);
  await served.answer(testRope(root("7"), ids.slice(0, 700)), { maxTokens: 0 });
  const reused = await served.answer(testRope(root("7"), ids), decode);
  assert.ok((reused.cached?.hot ?? 0) >= 699);
  assert.deepEqual(reused.ids, whole.ids);
  assert.deepEqual(reused.logprobs, whole.logprobs);
});
