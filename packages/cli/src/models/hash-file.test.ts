import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { scratchFolder } from "../testing/scratch.ts";
import { hashFile } from "./hash-file.ts";

test("hashes a file and tells how far it is", async () => {
  using folder = scratchFolder();
  const path = join(folder.path, "abc");
  writeFileSync(path, "abc");
  const seen: number[] = [];
  const hash = await hashFile(path, new AbortController().signal, (done) => seen.push(done));
  // FIPS 180-4, example B.1.
  assert.equal(hash, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  assert.deepEqual(seen, [3]);
});

test("an abort ends it", async () => {
  using folder = scratchFolder();
  const path = join(folder.path, "abc");
  writeFileSync(path, Buffer.alloc(1 << 22));
  await assert.rejects(hashFile(path, AbortSignal.abort()), { name: "AbortError" });
});
