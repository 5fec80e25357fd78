import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { findTestFiles, runTestGroup, runTestGroups, type TestGroup } from "./test-group.ts";

const head = 'import { test } from "node:test";\nimport assert from "node:assert/strict";\n';
const files: Readonly<Record<string, string>> = {
  "good.test.mjs": `${head}test("one", () => {}); test("two", { skip: true }, () => {});`,
  "bad.test.mjs": `${head}test("three", () => assert.equal(1, 2));`,
  "broken.test.mjs": 'import "./missing.mjs";',
  "hanging.test.mjs": `${head}test("four", () => new Promise((resolve) => setTimeout(resolve, 60_000)));`,
  "other.engine.test.mjs": `${head}test("five", () => {});`,
};

function folder() {
  const path = mkdtempSync(join(tmpdir(), "slipstream-group-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}

const group = (
  names: readonly string[],
  isolation: TestGroup["isolation"],
  timeoutMs = 60_000,
): TestGroup => ({
  files: names,
  isolation,
  concurrency: 1,
  timeoutMs,
});

test("files are found by pattern, sorted, without the excluded ones", () => {
  using root = folder();
  assert.deepEqual(findTestFiles(root.path, ["*.test.mjs"], [".engine.test.mjs"]), [
    "bad.test.mjs",
    "broken.test.mjs",
    "good.test.mjs",
    "hanging.test.mjs",
  ]);
});

for (const isolation of ["none", "process"] as const) {
  test(`with isolation ${isolation} passes, failures, skips and files that do not load are counted`, async () => {
    using root = folder();
    const good = await runTestGroup(root.path, group(["good.test.mjs"], isolation));
    assert.deepEqual([good.ok, good.counts], [true, { passed: 1, failed: 0, skipped: 1 }]);
    const all = group(["good.test.mjs", "bad.test.mjs", "broken.test.mjs"], isolation);
    const bad = await runTestGroup(root.path, all);
    assert.deepEqual([bad.ok, bad.counts], [false, { passed: 1, failed: 2, skipped: 1 }]);
    assert.match(bad.output, /not ok: three \(bad\.test\.mjs:3\)/);
  });
}

test("a group over its time limit has failed, and no group of none is green by itself", async () => {
  using root = folder();
  const late = await runTestGroup(root.path, group(["hanging.test.mjs"], "none", 1500));
  assert.deepEqual([late.ok, late.counts?.failed], [false, 1]);
  const sum = await runTestGroups(
    root.path,
    [group(["good.test.mjs"], "none"), group(["bad.test.mjs"], "none"), group([], "none")],
    2,
  );
  assert.deepEqual([sum.ok, sum.counts], [false, { passed: 1, failed: 1, skipped: 1 }]);
});
