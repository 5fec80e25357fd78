import assert from "node:assert/strict";
import { test } from "node:test";
import { catalogue } from "./catalogue.ts";

test("the benchmarks that others call by name are all there", () => {
  assert.deepEqual(catalogue.map(({ name }) => name).toSorted(), [
    "api-overhead",
    "engine-native",
    "engine-reuse",
    "loop",
    "replay",
    "soak",
  ]);
});

test("every benchmark loads", async () => {
  for (const { load } of catalogue) assert.equal(typeof (await load()).run, "function");
});
