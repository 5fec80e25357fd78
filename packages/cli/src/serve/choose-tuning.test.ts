import assert from "node:assert/strict";
import { test } from "node:test";
import type { TuneLlamaModelOptions, TuningOutcome } from "@slipstream-stack/inference";
import { configSchema } from "../config/schema.ts";
import { chooseTuning } from "./choose-tuning.ts";

const outcome: TuningOutcome = {
  tuning: { threads: { prefill: 2, decode: 1 }, batchTokens: 512, flashAttention: true },
  origin: { kind: "default", reason: "machine_busy" },
};
const byHand = { prefill_threads: 1, decode_threads: 1, batch_tokens: 64, flash_attention: false };

function choose(
  content: object,
  tune: (options: TuneLlamaModelOptions) => Promise<TuningOutcome>,
  signal = new AbortController().signal,
) {
  const notes: string[] = [];
  const note = (text: string) => notes.push(text);
  const places = { path: "/m.gguf", runFolder: "/run", cacheFolder: "/cache" };
  const config = configSchema.parse(content);
  return { notes, chosen: chooseTuning({ config, ...places, signal, note }, tune) };
}

test("a measurement is announced, one that is read is not", async () => {
  const measured = choose({}, async ({ path, cacheFolder, onMeasure }) => {
    assert.deepEqual([path, cacheFolder], ["/m.gguf", "/cache"]);
    onMeasure?.(15_000);
    return outcome;
  });
  assert.equal(await measured.chosen, outcome);
  assert.match(measured.notes.join(), /15 s/);
  const read = choose({ ...byHand, batch_tokens: null }, async () => outcome);
  assert.equal(await read.chosen, outcome);
  assert.deepEqual(read.notes, []);
});

test("nothing is measured where nobody wants it", async () => {
  const never = () => assert.fail("tuned");
  for (const content of [{ tune: false }, { deterministic: true }, byHand]) {
    assert.equal(await choose(content, never).chosen, null);
  }
});

test("who gives up the start is not held up by an error; another error comes through", async () => {
  const broken = async () => {
    throw new Error("broken");
  };
  assert.equal(await choose({}, broken, AbortSignal.abort()).chosen, null);
  await assert.rejects(choose({}, broken).chosen, { message: "broken" });
});
