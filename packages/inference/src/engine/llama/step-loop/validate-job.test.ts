import assert from "node:assert/strict";
import { test } from "node:test";
import type { Job } from "./job.ts";
import { testJob } from "./test-loop.ts";
import { validateJob } from "./validate-job.ts";

const limits = { vocabularySize: 10, contextLength: 8 };
const { decode } = testJob("x", [1]);
const withDecode = (changes: Partial<Job["decode"]>): Job =>
  testJob("x", [1], { decode: { ...decode, ...changes } });
const withSampling = (changes: Partial<Job["decode"]["sampling"]>): Job =>
  withDecode({ sampling: { ...decode.sampling, ...changes } });

test("a sound job passes", () => {
  assert.equal(validateJob(testJob("x", [0, 9]), limits), null);
  assert.equal(validateJob(testJob("x", [1, 2, 3, 4, 5, 6, 7]), limits), null);
  const whole = testJob("x", [1, 2, 3, 4, 5, 6, 7, 8], { decode: { ...decode, maxTokens: 0 } });
  assert.equal(validateJob(whole, limits), null, "a prefill needs no place for output");
});

const unsound: Record<string, Job> = {
  "an empty prompt": testJob("x", []),
  "an id outside the vocabulary": testJob("x", [10]),
  "a prompt without room for output": testJob("x", [1, 2, 3, 4, 5, 6, 7, 8]),
  "forced ids outside the vocabulary": withDecode({ forced: Uint32Array.of(1, 10) }),
  "a negative limit": withDecode({ maxTokens: -1 }),
  "half a token": withDecode({ maxTokens: 1.5 }),
  "a temperature that is no number": withSampling({ temperature: Number.NaN }),
  "a negative temperature": withSampling({ temperature: -1 }),
  "top-p of nothing": withSampling({ topP: 0 }),
  "a negative top-k": withSampling({ topK: -1 }),
  "a fractional seed": withSampling({ seed: 0.5 }),
};

for (const [name, job] of Object.entries(unsound)) {
  test(`${name} is refused`, () => assert.notEqual(validateJob(job, limits), null));
}
