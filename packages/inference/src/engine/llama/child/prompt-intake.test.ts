import assert from "node:assert/strict";
import { test } from "node:test";
import type { WireSubmit } from "../../wire/messages.ts";
import { TokenLog } from "../sequences/token-log.ts";
import { TestLoop, testJob } from "../step-loop/test-loop.ts";
import { PromptIntake } from "./prompt-intake.ts";

const root = "0".repeat(32);
const prompt = Uint32Array.from({ length: 100 }, (_, index) => (index * 7) % 90);
const log = new TokenLog(root, prompt);

function holding(): PromptIntake {
  const loop = new TestLoop();
  loop.loop.submit(testJob("a", [...prompt.subarray(0, 70)]));
  loop.run();
  return new PromptIntake(loop.loop.table);
}

const submit = (from: number, lengths: readonly number[], changes: Partial<WireSubmit> = {}): WireSubmit => ({
  ...testJob("7", []),
  type: "submit",
  id: 7,
  root,
  refs: lengths.map((length) => log.ref(length)),
  from,
  tail: prompt.slice(from),
  ...changes,
});

test("a held base and a tail make the prompt", () => {
  const job = holding().submit(submit(70, [70, 64]));
  assert.ok("prompt" in job);
  assert.deepEqual(job.prompt, prompt);
  assert.equal(job.baseMissed, false);
});

test("a base that is not held is completed from the deepest that is", () => {
  const intake = holding();
  assert.deepEqual(intake.submit(submit(90, [90, 64])), { have: 64 });
  const job = intake.complete(7, prompt.slice(64, 90));
  assert.deepEqual(job?.prompt, prompt);
  assert.equal(job?.baseMissed, true);
  assert.equal(intake.complete(7, prompt), null, "once only");
});

test("nothing held: all is asked for", () => {
  const intake = holding();
  assert.deepEqual(intake.submit(submit(70, [70], { root: "1".repeat(32) })), { have: 0 });
  assert.deepEqual(intake.submit(submit(70, [70], { id: 8, useCache: false })), { have: 0 });
  assert.deepEqual(intake.complete(8, prompt.slice(0, 70))?.prompt, prompt);
});

test("a request cancelled while it is incomplete never begins", () => {
  const intake = holding();
  intake.submit(submit(90, [90]));
  assert.ok(intake.cancel(7));
  assert.equal(intake.complete(7, prompt.slice(0, 90)), null);
  assert.equal(intake.cancel(7), false);
});
