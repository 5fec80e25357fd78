import assert from "node:assert/strict";
import { test } from "node:test";
import type { Tuning } from "@slipstream-stack/inference";
import { configSchema } from "../config/schema.ts";
import { findEntry } from "../models/catalogue.ts";
import { llamaOptions } from "./open-model.ts";

const entry = findEntry("qwen2.5-coder-7b-instruct");
const options = (content: object, given = entry, tuning: Tuning | null = null) =>
  llamaOptions(configSchema.parse(content), { id: "m", path: "/m.gguf", entry: given }, tuning);

test("the catalogue advises the size of the cache, the configuration decides", () => {
  assert.equal(options({}).contextTokens, entry?.settings.contextTokens);
  assert.equal(options({ context_tokens: 4096 }).contextTokens, 4096);
  assert.equal("contextTokens" in options({}, null), false);
});

test("what nobody set is left to the engine", () => {
  const names = Object.keys(options({}, null)).sort();
  assert.deepEqual(names, ["deterministic", "id", "path"]);
});

test("every setting of the engine arrives", () => {
  const set = { max_sequences: 3, batch_tokens: 64, parked_bytes: 0, decode_threads: 1, deterministic: true };
  const { maxSequences, batchTokens, parkedBytes, threads, deterministic } = options(set);
  assert.deepEqual([maxSequences, batchTokens, parkedBytes, deterministic], [3, 64, 0, true]);
  assert.equal(threads?.decode, 1);
  assert.ok((threads?.prefill ?? 0) >= 1);
});

test("what was measured arrives, and each value can be set instead", () => {
  const tuning = { threads: { prefill: 6, decode: 3 }, batchTokens: 256, flashAttention: false };
  const { threads, batchTokens, flashAttention } = options({}, null, tuning);
  assert.deepEqual({ threads, batchTokens, flashAttention }, tuning);
  const set = { prefill_threads: 2, flash_attention: true };
  const mixed = options(set, null, tuning);
  assert.deepEqual(mixed.threads, { prefill: 2, decode: 3 });
  assert.deepEqual([mixed.batchTokens, mixed.flashAttention], [256, true]);
  assert.equal(options({ batch_tokens: 128 }, null, tuning).batchTokens, 128);
});
