import assert from "node:assert/strict";
import { test } from "node:test";
import { describeSearch, describeTuning } from "./describe-tuning.ts";

const tuning = { threads: { prefill: 4, decode: 2 }, batchTokens: 256, flashAttention: false };
const withThreads = (count: number) => ({ ...tuning, threads: { prefill: count, decode: count } });
const sample = (threads: number, prefillMs: number, decodeMs: number) => ({
  ...{ tuning: withThreads(threads), promptTokens: 512, decodeSteps: 24 },
  prefillMs,
  decodeMs,
});
const samples = [sample(4, 512, 480), sample(4, 1_024, 240), sample(2, 2_048, 120), sample(2, 2_048, 240)];

test("the choice and the best speed of each phase under its own threads", () => {
  const line = describeSearch({ tuning, isComplete: true, samples });
  assert.match(line, /threads 4 .* 2 .*batch 256, no flash attention .*: 1000 and 200 tokens\/s\)$/);
});

test("what was not measured in full, or not at all, says so", () => {
  assert.match(describeSearch({ tuning, isComplete: false, samples }), /in part/);
  const nothing = describeSearch({ tuning, isComplete: false, samples: [] });
  assert.doesNotMatch(nothing, /tokens\/s/);
  const lines = (["machine_busy", "measured_elsewhere", "failed"] as const).map((reason) =>
    describeTuning({ tuning: { ...tuning, flashAttention: true }, origin: { kind: "default", reason } }),
  );
  assert.equal(new Set(lines).size, 3);
  for (const line of lines) assert.match(line, /, flash attention \(not measured/);
});

test("now and earlier are told apart", () => {
  const search = { tuning, isComplete: true, samples };
  const now = describeTuning({ tuning, origin: { kind: "measured", search } });
  assert.notEqual(now, describeSearch(search));
});
