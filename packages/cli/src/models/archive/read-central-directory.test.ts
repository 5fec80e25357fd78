import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { CliError } from "../../errors.ts";
import { withCode } from "../../testing/expect-code.ts";
import { makeArchive } from "../../testing/make-archive.ts";
import { scratchFolder } from "../../testing/scratch.ts";
import { readCentralDirectory } from "./read-central-directory.ts";

async function list(archive: Buffer) {
  using folder = scratchFolder();
  const path = join(folder.path, "a.zip");
  writeFileSync(path, archive);
  const file = await open(path);
  try {
    return await readCentralDirectory(file);
  } finally {
    await file.close();
  }
}

const inputs = ["one.txt", "folder/zwölf.txt"].map((name) => ({
  name,
  content: Buffer.from(name),
  deflate: true,
}));
const archive = makeArchive(inputs);

test("names, sizes and methods are told, in order", async () => {
  const entries = await list(archive);
  assert.deepEqual(
    entries.map(({ name }) => name),
    ["one.txt", "folder/zwölf.txt"],
  );
  assert.deepEqual(
    entries.map(({ bytes, method }) => [bytes, method]),
    [
      [7, 8],
      [17, 8],
    ],
  );
});

test("a comment behind the directory is passed over", async () => {
  assert.equal((await list(Buffer.concat([archive, Buffer.from("a comment")]))).length, 2);
});

test("an empty archive has no entries, a 64-bit one is refused", async () => {
  assert.deepEqual(await list(makeArchive([])), []);
  const large = Buffer.from(archive);
  large.writeUInt32LE(0xffffffff, large.length - 6);
  await assert.rejects(list(large), withCode("archive_broken"));
});

test("whatever is cut off or flipped: entries or a coded error, never a crash", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(archive.length - 1),
      fc.nat(archive.length - 1),
      fc.nat(255),
      async (cut, at, mask) => {
        const damaged = Buffer.from(archive.subarray(0, archive.length - (cut % 40)));
        if (at < damaged.length) damaged.writeUInt8(damaged.readUInt8(at) ^ mask, at);
        try {
          assert.ok((await list(damaged)).length <= 2);
        } catch (error) {
          assert.ok(CliError.isInstance(error) && error.code === "archive_broken", String(error));
        }
      },
    ),
    { numRuns: 200 },
  );
});
