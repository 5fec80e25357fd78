import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { withCode } from "../testing/expect-code.ts";
import { makeGguf } from "../testing/make-gguf.ts";
import { scratchFolder } from "../testing/scratch.ts";
import { checkGguf } from "./check-gguf.ts";

test("a GGUF header passes", async () => {
  using folder = scratchFolder();
  const path = join(folder.path, "good.gguf");
  writeFileSync(path, makeGguf("x"));
  await checkGguf(path);
});

const noTensors = makeGguf("x");
noTensors.writeBigUInt64LE(0n, 8);
const newVersion = makeGguf("x");
newVersion.writeUInt32LE(9, 4);
const broken: readonly (readonly [string, Buffer])[] = [
  ["empty", Buffer.alloc(0)],
  ["short", Buffer.from("GGUF")],
  ["another format", Buffer.alloc(100, "PK")],
  ["no tensors", noTensors],
  ["a version of the future", newVersion],
];
for (const [name, content] of broken) {
  test(`${name}: a broken model`, async () => {
    using folder = scratchFolder();
    const path = join(folder.path, "bad.gguf");
    writeFileSync(path, content);
    await assert.rejects(checkGguf(path), withCode("model_broken"));
  });
}

test("no file, a folder: coded errors", async () => {
  using folder = scratchFolder();
  await assert.rejects(checkGguf(join(folder.path, "none.gguf")), withCode("model_missing"));
  await assert.rejects(checkGguf(folder.path), withCode("model_broken"));
});
