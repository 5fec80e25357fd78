import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { withCode } from "../testing/expect-code.ts";
import { scratchFolder } from "../testing/scratch.ts";
import {
  type InstalledModel,
  listInstalled,
  modelFolder,
  readInstalled,
  removeInstalled,
  servedFile,
  writeInstalled,
} from "./installed-model.ts";

const file = (path: string) => ({ path, sizeBytes: 1, sha256: "0".repeat(64) });
const model = (id: string): InstalledModel => ({
  schema: 1,
  id,
  source: "test",
  verified: true,
  original: file("/a.gguf"),
  derived: null,
});

test("a record is written, read, listed in order and removed", async () => {
  using cache = scratchFolder();
  await writeInstalled(cache.path, model("b"));
  await writeInstalled(cache.path, model("a"));
  assert.deepEqual(await readInstalled(cache.path, "a"), model("a"));
  assert.deepEqual(
    (await listInstalled(cache.path)).map(({ id }) => id),
    ["a", "b"],
  );
  assert.equal(await removeInstalled(cache.path, "a"), true);
  assert.equal(await removeInstalled(cache.path, "a"), false);
  assert.equal(await readInstalled(cache.path, "a"), null);
});

test("nothing there: nothing listed", async () => {
  using cache = scratchFolder();
  assert.deepEqual(await listInstalled(cache.path), []);
});

test("an id that could name another folder is refused, before anything is read or deleted", async () => {
  using cache = scratchFolder();
  await writeInstalled(cache.path, model("a"));
  for (const id of ["..", ".", "", "a/../..", "/", "A", "a b"]) {
    await assert.rejects(removeInstalled(cache.path, id), withCode("model_unknown"));
    await assert.rejects(readInstalled(cache.path, id), withCode("model_unknown"));
  }
  assert.notEqual(await readInstalled(cache.path, "a"), null);
});

test("a damaged record is an error of its model only", async () => {
  using cache = scratchFolder();
  await writeInstalled(cache.path, model("good"));
  for (const [id, text] of [
    ["cut", '{"schema":1'],
    ["other", '{"schema":2}'],
  ] as const) {
    mkdirSync(modelFolder(cache.path, id), { recursive: true });
    writeFileSync(join(modelFolder(cache.path, id), "model.json"), text);
    await assert.rejects(readInstalled(cache.path, id), withCode("model_broken"));
  }
  assert.deepEqual(
    (await listInstalled(cache.path)).map(({ id }) => id),
    ["good"],
  );
});

test("the derived file is served when there is one", () => {
  assert.equal(servedFile(model("a")), "/a.gguf");
  assert.equal(servedFile({ ...model("a"), derived: file("/b.gguf") }), "/b.gguf");
});
