import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { testWorkspace } from "../../testing/test-workspace.ts";
import { FileTransaction } from "./file-transaction.ts";

test("undo brings back contents and modes, and removes what was new", async (context) => {
  const folder = await testWorkspace(context, { a: "1", b: new Uint8Array([0xff, 0]) });
  await chmod(join(folder, "a"), 0o640);
  let count = 0;
  const transaction = new FileTransaction(() => `tmp-${count++}`);
  await transaction.write(join(folder, "a"), "2", null);
  await transaction.remove(join(folder, "b"));
  await transaction.write(join(folder, "c"), "new", join(folder, "a"));
  assert.equal(readFileSync(join(folder, "a"), "utf8"), "2");
  assert.equal(statSync(join(folder, "c")).mode & 0o777, 0o640);
  await transaction.undo();
  assert.deepEqual(readdirSync(folder).sort(), ["a", "b"]);
  assert.equal(readFileSync(join(folder, "a"), "utf8"), "1");
  assert.equal(statSync(join(folder, "a")).mode & 0o777, 0o640);
  assert.deepEqual([...readFileSync(join(folder, "b"))], [0xff, 0]);
});

test("a temporary file that is there already is never overwritten", async (context) => {
  const folder = await testWorkspace(context, { ".tmp": "somebody's", a: "1" });
  const transaction = new FileTransaction(() => "tmp");
  await assert.rejects(transaction.write(join(folder, "a"), "2", null));
  assert.equal(readFileSync(join(folder, "a"), "utf8"), "1");
});
