import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { withCode } from "../testing/expect-code.ts";
import { scratchFolder } from "../testing/scratch.ts";
import { holdLock } from "./hold-lock.ts";

test("two at a time: the second is refused, the lock is gone at the end", async () => {
  using folder = scratchFolder();
  await holdLock(folder.path, async () => {
    await assert.rejects(
      holdLock(folder.path, async () => {}),
      withCode("pull_running"),
    );
  });
  assert.equal(existsSync(join(folder.path, ".pull.lock")), false);
});

test("the lock is given back when the work fails", async () => {
  using folder = scratchFolder();
  await assert.rejects(holdLock(folder.path, () => Promise.reject(new Error("work"))));
  assert.equal(await holdLock(folder.path, async () => "again"), "again");
});

test("the lock of a process that has ended is taken over", async () => {
  using folder = scratchFolder();
  for (const owner of ["2147483646", "not a number", ""]) {
    writeFileSync(join(folder.path, ".pull.lock"), owner);
    assert.equal(await holdLock(folder.path, async () => owner), owner);
  }
});
