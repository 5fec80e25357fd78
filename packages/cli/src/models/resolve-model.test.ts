import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { withCode } from "../testing/expect-code.ts";
import { makeGguf } from "../testing/make-gguf.ts";
import { scratchFolder } from "../testing/scratch.ts";
import { silentProgress } from "../testing/silent-progress.ts";
import { addModel } from "./add-model.ts";
import { resolveModel } from "./resolve-model.ts";

test("a path, relative or absolute, is served as it is", async () => {
  using folder = scratchFolder();
  const path = join(folder.path, "some.gguf");
  writeFileSync(path, makeGguf("x"));
  assert.deepEqual(await resolveModel("/none", path, "/"), { id: "some", path, entry: null });
  assert.equal((await resolveModel("/none", "./some.gguf", folder.path)).path, path);
  await assert.rejects(resolveModel("/none", "./other.gguf", folder.path), withCode("model_missing"));
});

test("an id is looked up in the cache; a file that went away is missing", async () => {
  using folder = scratchFolder();
  const path = join(folder.path, "some.gguf");
  writeFileSync(path, makeGguf("x"));
  const signal = new AbortController().signal;
  await addModel({ cache: folder.path, path, id: "mine", progress: silentProgress(), signal });
  assert.equal((await resolveModel(folder.path, "mine", "/")).path, path);
  rmSync(path);
  await assert.rejects(resolveModel(folder.path, "mine", "/"), withCode("model_missing"));
});

test("a catalogue entry that was not pulled is missing, any other name unknown", async () => {
  using folder = scratchFolder();
  await assert.rejects(resolveModel(folder.path, "smollm2-135m-instruct", "/"), withCode("model_missing"));
  await assert.rejects(resolveModel(folder.path, "gpt-99", "/"), withCode("model_unknown"));
});
