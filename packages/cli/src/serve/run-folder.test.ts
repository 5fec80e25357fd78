import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { scratchFolder } from "../testing/scratch.ts";
import { createRunFolder, isProcessAlive } from "./run-folder.ts";

test("folders of servers that are gone are removed, those of others stay", async () => {
  using scratch = scratchFolder();
  for (const name of ["slipstream-run-11-aaa", "slipstream-run-12-bbb", "slipstream-run-x-ccc", "other"]) {
    mkdirSync(join(scratch.path, name));
  }
  const folder = await createRunFolder(scratch.path, 13, (pid) => pid === 12);
  const names = readdirSync(scratch.path).filter((name) => !folder.path.endsWith(name));
  assert.deepEqual(names.sort(), ["other", "slipstream-run-12-bbb", "slipstream-run-x-ccc"]);
  await folder.remove();
  assert.equal(readdirSync(scratch.path).length, 3);
});

test("a process that has ended is not alive", () => {
  const { pid } = spawnSync(process.execPath, ["--version"]);
  assert.equal(isProcessAlive(pid), false);
  assert.equal(isProcessAlive(process.pid), true);
});
