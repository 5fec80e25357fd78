import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { makeGguf } from "../testing/make-gguf.ts";
import { scratchFolder } from "../testing/scratch.ts";
import { silentProgress } from "../testing/silent-progress.ts";
import { addModel } from "./add-model.ts";
import { catalogue } from "./catalogue.ts";
import { listModels } from "./list-models.ts";

test("the more memory, the more fits", async () => {
  using cache = scratchFolder();
  const counts = await Promise.all(
    [2e9, 5e9, 9e9, 17e9, 32e9].map(async (bytes) => {
      const models = await listModels(cache.path, bytes);
      return models.filter(({ fits }) => fits).length;
    }),
  );
  assert.deepEqual(counts, [1, 2, 3, 4, 5]);
});

test("added files are listed after the catalogue", async () => {
  using cache = scratchFolder();
  const path = join(cache.path, "mine.gguf");
  writeFileSync(path, makeGguf("x"));
  const signal = new AbortController().signal;
  await addModel({ cache: cache.path, path, id: null, progress: silentProgress(), signal });
  const models = await listModels(cache.path, 1e9);
  assert.equal(models.length, catalogue.length + 1);
  assert.deepEqual(
    models.filter(({ installed }) => installed).map(({ id }) => id),
    ["mine"],
  );
});
