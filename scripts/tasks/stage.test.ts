import assert from "node:assert/strict";
import { test } from "node:test";
import { capture, formatCounts, formatStageLine, runStage, sumCounts } from "./stage.ts";

test("counts are added up and printed as the closing line", () => {
  const sum = sumCounts([
    { passed: 2, failed: 0, skipped: 1 },
    undefined,
    { passed: 3, failed: 1, skipped: 0 },
  ]);
  assert.equal(formatCounts(sum), "5 passed, 1 failed, 1 skipped");
});

test("a stage's line has its state, name and time", () => {
  assert.match(formatStageLine("unit", { ok: true, output: "" }, 1234), /^ok +unit +1\.2 s$/);
  assert.match(formatStageLine("unit", { ok: false, output: "" }, 0), /^FAIL unit/);
});

test("output is printed for a failure only", async () => {
  for (const ok of [true, false]) {
    const lines: string[] = [];
    await runStage({ name: "x", run: async () => ({ ok, output: "details\n" }) }, (line) => lines.push(line));
    assert.equal(lines.includes("details"), !ok);
  }
});

test("a program's output and status are captured, and its time is limited", async () => {
  const options = { cwd: ".", timeoutMs: 10_000 };
  const done = await capture(process.execPath, ["-e", "console.log('hello'); process.exit(3)"], options);
  assert.deepEqual(done, { code: 3, output: "hello\n" });
  const late = await capture(process.execPath, ["-e", "setInterval(() => {}, 1000)"], {
    ...options,
    timeoutMs: 50,
  });
  assert.equal(late.code, 1);
  assert.equal((await capture("no-such-program", [], { ...options, timeoutMs: 50 })).code, 127);
});
