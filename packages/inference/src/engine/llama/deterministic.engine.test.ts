import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testRope } from "./test-rope.ts";
import { TestServedModel } from "./test-served-model.ts";

let served: TestServedModel;
before(async () => {
  served = await TestServedModel.start({ deterministic: true, batchTokens: 128 });
});
after(async () => {
  await served[Symbol.asyncDispose]();
});

const root = (digit: string): string => digit.repeat(32);

test("company and cancelled company change no output", async () => {
  const prompt = await served.chat("Write about the sea.");
  const decode = { maxTokens: 16, stopTokens: [] };
  const alone = await served.answer(testRope(root("1"), prompt), decode);
  const cancelled = served.submit(testRope(root("2"), prompt), { ...decode, maxTokens: 2_000 });
  const others = ["3", "4"].map((digit) => served.answer(testRope(root(digit), prompt), decode));
  let told = 0;
  for await (const event of cancelled.events) {
    if (event.type === "tokens") told += 1;
    if (told === 5) cancelled.cancel();
    if (event.type === "end") assert.equal(event.reason, "cancelled");
  }
  for (const { ids } of await Promise.all(others)) assert.deepEqual(ids, alone.ids);
});

test("a reused prompt gives the same text and log probabilities as an evaluated one", async () => {
  const ids = (await served.encode("Notes on tides, wind and sand. ".repeat(60))).slice(0, 300);
  const decode = { maxTokens: 8, stopTokens: [], logprobs: true };
  const whole = await served.answer(testRope(root("6"), ids), decode);
  await served.answer(testRope(root("7"), ids.slice(0, 200)), { maxTokens: 0 });
  const reused = await served.answer(testRope(root("7"), ids), decode);
  assert.ok((reused.cached?.hot ?? 0) >= 199);
  assert.deepEqual(reused.ids, whole.ids);
  assert.deepEqual(reused.logprobs, whole.logprobs);
});
