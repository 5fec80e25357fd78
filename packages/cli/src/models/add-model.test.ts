import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { withCode } from "../testing/expect-code.ts";
import { makeGguf } from "../testing/make-gguf.ts";
import { scratchFolder } from "../testing/scratch.ts";
import { silentProgress } from "../testing/silent-progress.ts";
import { addModel, idFromFileName } from "./add-model.ts";
import { readInstalled } from "./installed-model.ts";

const add = (cache: string, path: string, id: string | null = null) =>
  addModel({ cache, path, id, progress: silentProgress(), signal: new AbortController().signal });

test("ids made from file names can be typed and are legal", () => {
  assert.equal(idFromFileName("/x/My Model.Q4_K_M.gguf"), "my-model.q4-k-m");
  assert.equal(idFromFileName("--.gguf"), "model");
});

test("a file is known by its id and stays where it is", async () => {
  using folder = scratchFolder();
  const path = join(folder.path, "Mine.gguf");
  writeFileSync(path, makeGguf("mine"));
  const cache = join(folder.path, "cache");
  await add(cache, path);
  assert.equal((await readInstalled(cache, "mine"))?.original.path, path);
  await add(cache, path);
});

test("what is no model, an id that is taken or illegal: refused", async () => {
  using folder = scratchFolder();
  const [first, second] = ["one.gguf", "two.gguf"].map((name) => join(folder.path, name)) as [string, string];
  writeFileSync(first, makeGguf("1"));
  writeFileSync(second, makeGguf("2"));
  const text = join(folder.path, "text.gguf");
  writeFileSync(text, "text");
  await add(folder.path, first, "mine");
  await assert.rejects(add(folder.path, second, "mine"), withCode("model_not_added"));
  await assert.rejects(add(folder.path, second, "../up"), withCode("model_not_added"));
  await assert.rejects(add(folder.path, text), withCode("model_broken"));
  await assert.rejects(add(folder.path, join(folder.path, "none.gguf")), withCode("model_missing"));
});
