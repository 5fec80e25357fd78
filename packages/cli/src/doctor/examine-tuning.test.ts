import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { configSchema } from "../config/schema.ts";
import { fakeContext } from "../testing/fake-context.ts";
import { makeGguf } from "../testing/make-gguf.ts";
import { scratchFolder } from "../testing/scratch.ts";
import { examineTuning } from "./examine-tuning.ts";

const tuning = { threads: { prefill: 2, decode: 1 }, batchTokens: 512, flashAttention: true };

async function examine(folder: string, config: object, find: Parameters<typeof examineTuning>[2]) {
  const finding = await examineTuning(configSchema.parse(config), fakeContext(folder).host, find);
  assert.equal(finding.state, "ok");
  return finding.detail;
}

test("what an earlier start measured is told; without one, that the next does", async () => {
  using folder = scratchFolder();
  const path = join(folder.path, "x.gguf");
  writeFileSync(path, makeGguf("x"));
  const found = async (_cache: string, asked: string) => {
    assert.equal(asked, path);
    return { tuning, isComplete: true, samples: [] };
  };
  assert.match(await examine(folder.path, { model: path }, found), /2 .* 1 /);
  const none = await examine(folder.path, { model: path }, async () => null);
  assert.notEqual(none, await examine(folder.path, { model: path }, found));
  await examine(folder.path, { model: path }, undefined);
});

test("where nothing is tuned nothing is looked for", async () => {
  using folder = scratchFolder();
  const never = () => assert.fail("looked for a tuning");
  for (const config of [
    { tune: false },
    { deterministic: true },
    { engine: "simulated" },
    { model: "none" },
  ]) {
    await examine(folder.path, config, never);
  }
});
