import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type LlamaModelOptions, startLlamaModel } from "../llama/start-llama-model.ts";
import { testModelPath } from "../llama/test-model.ts";
import { currentMachine } from "./machine.ts";
import { findTuning, tuneLlamaModel } from "./tune-llama-model.ts";

let folder: string;
const never = new AbortController().signal;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "slipstream-test-"));
});
after(() => rm(folder, { recursive: true }));

test("real engines are measured within a budget, and the next start reads what was found", async () => {
  const places = { path: testModelPath(), runFolder: folder, cacheFolder: folder, signal: never };
  assert.equal(await findTuning(folder, places.path), null);
  const { tuning, origin } = await tuneLlamaModel({ ...places, budgetMs: 4_000 });
  const { cores } = currentMachine();
  for (const count of Object.values(tuning.threads)) assert.ok(count >= 1 && count <= cores);
  if (origin.kind === "default") {
    // A machine that others use is left alone; whatever else goes wrong is a fault.
    assert.equal(origin.reason, "machine_busy");
    assert.equal(await findTuning(folder, places.path), null);
    return;
  }
  assert.ok(origin.search.samples.every(({ prefillMs, decodeMs }) => prefillMs > 0 && decodeMs > 0));
  assert.deepEqual(await findTuning(folder, places.path), origin.search);
  const again = await tuneLlamaModel({ ...places, onMeasure: () => assert.fail("measured again") });
  assert.deepEqual([again.tuning, again.origin.kind], [tuning, "cached"]);
});

test("flash attention can be left out, and deterministic mode always leaves it out", async () => {
  const formatOf = async (changes: Partial<LlamaModelOptions>) => {
    const small = { id: "test", path: testModelPath(), runFolder: folder, contextTokens: 512 };
    const model = await startLlamaModel({ ...small, ...changes });
    const { kvFormat } = model.engine.info();
    await model.close();
    return kvFormat;
  };
  const without = await formatOf({ flashAttention: false });
  assert.notEqual(await formatOf({}), without);
  assert.equal(await formatOf({ deterministic: true, flashAttention: true }), without);
});

test("a start that is given up rejects with the reason", async () => {
  const reason = new Error("enough");
  const wish = new AbortController();
  const options = { id: "test", path: testModelPath(), runFolder: folder, signal: wish.signal };
  const starting = startLlamaModel(options);
  setTimeout(() => wish.abort(reason), 100);
  await assert.rejects(starting, (error) => error === reason);
  await assert.rejects(startLlamaModel(options), (error) => error === reason);
});
