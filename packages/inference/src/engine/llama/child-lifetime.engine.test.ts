import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { InferenceError } from "../../errors.ts";
import { startLlamaModel } from "./start-llama-model.ts";
import { testModelPath } from "./test-model.ts";
import { testRoot, testRope } from "./test-rope.ts";
import { TestServedModel } from "./test-served-model.ts";

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const gone = async (pid: number): Promise<boolean> => {
  for (let attempt = 0; attempt < 500 && isAlive(pid); attempt += 1) await delay(20);
  return !isAlive(pid);
};

test("a killed child ends its requests as retryable, comes back empty under a new epoch, and works", async () => {
  await using served = await TestServedModel.start();
  const prompt = await served.chat("Tell a long story.");
  for (let round = 0; round < 3; round += 1) {
    const { epoch } = served.model.engine.info();
    const pid = served.model.pid();
    const ticket = served.submit(testRope(testRoot, prompt), { maxTokens: 2_000, stopTokens: [] });
    const answer = served.collect(ticket);
    await delay(30 * round);
    process.kill(pid, "SIGKILL");
    const { last } = await answer;
    assert.ok(last.type === "error" && last.code === "engine_restarting" && last.retryable);
    // The tokenizer waits for the next child.
    await served.encode("hello");
    assert.notEqual(served.model.engine.info().epoch, epoch);
    const again = await served.answer(testRope(testRoot, prompt), { maxTokens: 3 });
    assert.deepEqual(again.cached, { hot: 0, ram: 0 });
    assert.equal(again.ids.length, 3);
  }
});

test("closing ends the child and every open request", async () => {
  const served = await TestServedModel.start();
  const pid = served.model.pid();
  const open = served.answer(testRope(testRoot, await served.chat("Hello")), {
    maxTokens: 3_000,
    stopTokens: [],
  });
  await served[Symbol.asyncDispose]();
  const { last } = await open;
  assert.ok(last.type === "error" && last.code === "engine_restarting");
  assert.ok(await gone(pid));
  const late = await served.answer(testRope(testRoot, Uint32Array.of(5)));
  assert.ok(late.last.type === "error" && late.last.code === "engine_restarting");
});

test("no orphan stays when the owner is killed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "slipstream-test-"));
  const entry = fileURLToPath(new URL("./start-llama-model.ts", import.meta.url));
  const script = `const { startLlamaModel } = await import(${JSON.stringify(entry)});
    const model = await startLlamaModel(${JSON.stringify({ id: "x", path: testModelPath(), runFolder: folder, contextTokens: 512 })});
    console.log(model.pid());`;
  const owner = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const pid = Number(
    await new Promise<string>((resolve) => createInterface({ input: owner.stdout }).once("line", resolve)),
  );
  assert.ok(isAlive(pid));
  owner.kill("SIGKILL");
  assert.ok(await gone(pid));
  rmSync(folder, { recursive: true, force: true });
});

test("models that cannot be served are refused with a code", async () => {
  const folder = mkdtempSync(join(tmpdir(), "slipstream-test-"));
  const refused = async (path: string, contextTokens: number): Promise<string> => {
    const error = await startLlamaModel({ id: "x", path, runFolder: folder, contextTokens }).then(
      () => null,
      (cause: unknown) => cause,
    );
    return InferenceError.isInstance(error) ? error.code : "none";
  };
  writeFileSync(join(folder, "text.gguf"), "not a model");
  writeFileSync(join(folder, "cut.gguf"), "GGUF\u0003\0\0\0rest");
  assert.equal(await refused(join(folder, "none.gguf"), 512), "model_missing");
  assert.equal(await refused(folder, 512), "model_missing");
  assert.equal(await refused(join(folder, "text.gguf"), 512), "model_broken");
  assert.equal(await refused(join(folder, "cut.gguf"), 512), "model_broken");
  assert.equal(await refused(testModelPath(), 1_000_000_000), "context_too_large");
  rmSync(folder, { recursive: true, force: true });
});
