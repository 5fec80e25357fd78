import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { inspectLibrary } from "./inspect-library.ts";

test("the library of this machine is usable and says which it is", async () => {
  const report = await inspectLibrary();
  assert.equal(report.isUsable, true, report.detail);
  assert.notEqual(report.detail, "");
});

test("one that fails or takes its process down is reported, with what it said", async () => {
  const folder = mkdtempSync(join(tmpdir(), "slipstream-library-"));
  try {
    const program = join(folder, "program.mjs");
    writeFileSync(program, 'process.stdout.write("no such build"); process.exitCode = 1;');
    assert.deepEqual(await inspectLibrary(program), { isUsable: false, detail: "no such build" });
    writeFileSync(program, "process.abort();");
    assert.equal((await inspectLibrary(program)).isUsable, false);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
