import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { testWorkspace } from "../testing/test-workspace.ts";
import { readFileTool } from "./read-file-tool.ts";
import { ToolArgumentError } from "./tool.ts";

const never = new AbortController().signal;

async function setUp(context: TestContext, files: Readonly<Record<string, string | Uint8Array>>) {
  const workspace = await testWorkspace(context, files);
  const tool = readFileTool(workspace);
  return { workspace, read: (given: Record<string, string | number>) => tool.run(given, never) };
}

test("a file is read whole or by a range of lines", async (context) => {
  const { read } = await setUp(context, { "a.txt": "one\ntwo\nthree" });
  const table: [Record<string, number>, string][] = [
    [{}, "one\ntwo\nthree"],
    [{ start_line: 2 }, "two\nthree"],
    [{ end_line: 2 }, "one\ntwo\n"],
    [{ start_line: 2, end_line: 2 }, "two\n"],
    [{ start_line: 3, end_line: 99 }, "three"],
  ];
  for (const [range, expected] of table) {
    assert.deepEqual(await read({ path: "a.txt", ...range }), { output: expected, isError: false });
  }
});

test("ranges that do not exist, missing files and folders are values", async (context) => {
  const { read, workspace } = await setUp(context, { "a.txt": "one\ntwo\n", empty: "" });
  await mkdir(join(workspace, "folder"));
  execFileSync("mkfifo", [join(workspace, "pipe")]);
  assert.deepEqual(await read({ path: "empty" }), { output: "", isError: false });
  for (const path of ["nothing", "folder", "pipe"]) assert.equal((await read({ path })).isError, true);
  const beyond = await read({ path: "a.txt", start_line: 3 });
  assert.equal(beyond.isError, true);
  assert.match(beyond.output, /2 lines/);
  await assert.rejects(read({ path: "a.txt", start_line: 2, end_line: 1 }), ToolArgumentError);
  await assert.rejects(read({ path: "a.txt", start_line: 0 }), ToolArgumentError);
  await assert.rejects(read({ path: "a\0b" }), ToolArgumentError);
  await assert.rejects(read({}), ToolArgumentError);
});

test("a large file comes back cut, and any line of it can be reached", async (context) => {
  const lines = Array.from({ length: 200_000 }, (_, index) => `line ${index + 1}`);
  const { read } = await setUp(context, { "big.txt": lines.join("\n") });
  const whole = await read({ path: "big.txt" });
  assert.ok(Buffer.byteLength(whole.output) <= 40_000);
  assert.ok(whole.output.startsWith("line 1\n") && whole.output.endsWith("line 200000"));
  assert.equal(
    (await read({ path: "big.txt", start_line: 123456, end_line: 123456 })).output,
    "line 123456\n",
  );
});
