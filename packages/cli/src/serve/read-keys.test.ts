import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { withCode } from "../testing/expect-code.ts";
import { scratchFolder } from "../testing/scratch.ts";
import { readKeys } from "./read-keys.ts";

test("keys of the file and of the variable are taken together", async () => {
  using folder = scratchFolder();
  const file = join(folder.path, "keys");
  writeFileSync(file, "# mine\none team\n");
  const keys = await readKeys(file, "two, three");
  assert.deepEqual(
    keys.map(({ key }) => key),
    ["one", "two", "three"],
  );
  assert.equal(keys[0]?.scope, "team");
});

test("no file and no variable: no keys", async () => {
  assert.deepEqual(await readKeys(null, undefined), []);
  assert.deepEqual(await readKeys(null, ""), []);
});

test("a file that is missing or empty is an error: it would open the server to all", async () => {
  using folder = scratchFolder();
  await assert.rejects(readKeys(join(folder.path, "none"), undefined), withCode("config_unreadable"));
  writeFileSync(join(folder.path, "empty"), "# nothing\n");
  await assert.rejects(readKeys(join(folder.path, "empty"), "two"), withCode("config_invalid"));
});
