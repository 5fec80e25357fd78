import assert from "node:assert/strict";
import { test } from "node:test";
import { catalogue, embeddedModelId, findEntry } from "./catalogue.ts";
import { memoryNeeded } from "./catalogue-entry.ts";
import { idPattern } from "./installed-model.ts";

test("ids are unique, file-safe and found", () => {
  assert.equal(new Set(catalogue.map(({ id }) => id)).size, catalogue.length);
  for (const entry of catalogue) {
    assert.match(entry.id, idPattern);
    assert.equal(findEntry(entry.id), entry);
  }
  assert.equal(findEntry("nothing"), null);
});

test("one model fits each memory class, in rising order", () => {
  const classes = [4, 8, 16, 24].map((gibibytes) => gibibytes * 2 ** 30);
  const others = catalogue.filter(({ id }) => id !== embeddedModelId);
  assert.equal(others.length, classes.length);
  others.forEach((entry, index) => {
    const needed = memoryNeeded(entry);
    assert.ok(needed <= (classes[index] ?? 0), `${entry.id} needs ${needed}`);
    assert.ok(needed > (classes[index] ?? 0) / 2, `${entry.id} needs only ${needed}`);
  });
});

test("an entry has a source, and a hash unless every source has metadata", () => {
  for (const entry of catalogue) {
    assert.ok(entry.sources.length > 0);
    if (entry.sources.some(({ kind }) => kind === "pip"))
      assert.match(entry.file.sha256 ?? "", /^[0-9a-f]{64}$/);
  }
});
