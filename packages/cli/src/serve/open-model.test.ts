import assert from "node:assert/strict";
import { test } from "node:test";
import { configSchema } from "../config/schema.ts";
import { findEntry } from "../models/catalogue.ts";
import { llamaOptions } from "./open-model.ts";

const entry = findEntry("qwen2.5-coder-7b-instruct");
const options = (content: object, given = entry) =>
  llamaOptions(configSchema.parse(content), { id: "m", path: "/m.gguf", entry: given }, "/run", () => {});

test("the catalogue advises the size of the cache, the configuration decides", () => {
  assert.equal(options({}).contextTokens, entry?.settings.contextTokens);
  assert.equal(options({ context_tokens: 4096 }).contextTokens, 4096);
  assert.equal("contextTokens" in options({}, null), false);
});

test("what nobody set is left to the engine", () => {
  const names = Object.keys(options({}, null)).sort();
  assert.deepEqual(names, ["deterministic", "id", "onLog", "path", "runFolder"]);
});

test("every setting of the engine arrives", () => {
  const set = { max_sequences: 3, batch_tokens: 64, parked_bytes: 0, decode_threads: 1, deterministic: true };
  const { maxSequences, batchTokens, parkedBytes, threads, deterministic } = options(set);
  assert.deepEqual([maxSequences, batchTokens, parkedBytes, deterministic], [3, 64, 0, true]);
  assert.equal(threads?.decode, 1);
  assert.ok((threads?.prefill ?? 0) >= 1);
});
