import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { takeMeasuringLock } from "./measuring-lock.ts";

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "slipstream-test-"));
});
after(() => rm(folder, { recursive: true }));

test("one holder at a time; what is given back can be taken again", async () => {
  const path = join(folder, "deep", "one.lock");
  const first = await takeMeasuringLock(path);
  assert.ok(first !== null);
  assert.equal(await readFile(path, "utf8"), String(process.pid));
  assert.equal(await takeMeasuringLock(path), null);
  await first[Symbol.asyncDispose]();
  const second = await takeMeasuringLock(path);
  assert.ok(second !== null);
  await second[Symbol.asyncDispose]();
});

test("a lock of a process that has ended, or of none, is taken over", async () => {
  const child = spawn(process.execPath, ["--version"], { stdio: "ignore" });
  await once(child, "exit");
  for (const owner of [String(child.pid), "", "nobody"]) {
    const path = join(folder, "left.lock");
    await writeFile(path, owner);
    const lock = await takeMeasuringLock(path);
    assert.ok(lock !== null);
    await lock[Symbol.asyncDispose]();
  }
});
