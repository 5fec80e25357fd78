import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { HarnessError } from "../errors.ts";
import { testWorkspace } from "../testing/test-workspace.ts";
import { acquireLock } from "./session-lock.ts";

function isLocked(error: unknown): boolean {
  return HarnessError.isInstance(error) && error.code === "session_locked";
}

test("a lock names its holder, keeps others out and goes with its release", async (context) => {
  const path = join(await testWorkspace(context), "s.jsonl");
  const lock = await acquireLock(path);
  assert.equal(Number(readFileSync(`${path}.lock`, "utf8")), process.pid);
  await assert.rejects(acquireLock(path), isLocked);
  await lock.release();
  assert.equal(existsSync(`${path}.lock`), false);
  await (await acquireLock(path)).release();
});

test("of many that take a free lock at once exactly one gets it", async (context) => {
  const path = join(await testWorkspace(context), "s.jsonl");
  const results = await Promise.allSettled(Array.from({ length: 8 }, () => acquireLock(path)));
  assert.equal(results.filter((result) => result.status === "fulfilled").length, 1);
});

test("an unreadable or dead holder's lock is taken over; a live one's is not", async (context) => {
  const path = join(await testWorkspace(context), "s.jsonl");
  for (const content of ["", "nonsense", "-1", "999999999"]) {
    writeFileSync(`${path}.lock`, content);
    await (await acquireLock(path)).release();
  }
  writeFileSync(`${path}.lock`, "1\n");
  await assert.rejects(acquireLock(path), isLocked);
});
