import assert from "node:assert/strict";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { SharedAnswer } from "./shared-answer.ts";

test("an answer shows in another view of the same memory", () => {
  const asked = SharedAnswer.allocate(70);
  const answering = new SharedAnswer(asked.buffer);
  assert.equal(asked.mask.length, 3);
  assert.equal(asked.answered(1), false);
  answering.mask.set([1, 2, 3]);
  answering.answer(1, "failed", "because é");
  assert.equal(asked.answered(1), true);
  assert.equal(asked.answered(2), false);
  assert.equal(asked.state, "failed");
  assert.equal(asked.reason, "because é");
  assert.deepEqual([...asked.mask], [1, 2, 3]);
});

test("a later answer replaces state and reason, and a reason too long is cut at a character", () => {
  const answer = SharedAnswer.allocate(1);
  answer.answer(1, "failed", "é".repeat(1000));
  assert.match(answer.reason, /^é{200,}$/);
  answer.answer(2, "may_end");
  assert.equal(answer.state, "may_end");
  assert.equal(answer.reason, "");
});

test("a wait ends at its time without an answer, and at once with one", () => {
  const answer = SharedAnswer.allocate(1);
  answer.wait(1, 1);
  assert.equal(answer.answered(1), false);
  answer.answer(1, "masked");
  answer.wait(1, 60_000);
  assert.equal(answer.answered(1), true);
});

test("a wait is woken by an answer of another thread", async () => {
  const answer = SharedAnswer.allocate(1);
  const url = new URL("./shared-answer.ts", import.meta.url).href;
  const code = `import(${JSON.stringify(url)}).then(({ SharedAnswer }) =>
    new SharedAnswer(require("node:worker_threads").workerData).answer(1, "complete"));`;
  const worker = new Worker(code, { eval: true, workerData: answer.buffer });
  try {
    answer.wait(1, 60_000);
    assert.equal(answer.answered(1), true);
    assert.equal(answer.state, "complete");
  } finally {
    await worker.terminate();
  }
});
