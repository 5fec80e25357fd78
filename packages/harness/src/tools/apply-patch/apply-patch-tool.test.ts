import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { chmod, mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { testWorkspace } from "../../testing/test-workspace.ts";
import { CountingIds } from "../../transport/testing/test-ports.ts";
import { ToolArgumentError } from "../tool.ts";
import { applyPatchTool } from "./apply-patch-tool.ts";

const never = new AbortController().signal;

async function setUp(context: TestContext, files: Readonly<Record<string, string | Uint8Array>> = {}) {
  const workspace = await testWorkspace(context, files);
  const tool = applyPatchTool({ workspace, ids: new CountingIds() });
  const apply = (body: string) => tool.run({ patch: `*** Begin Patch\n${body}\n*** End Patch` }, never);
  const read = (name: string): string => readFileSync(join(workspace, name), "utf8");
  return { workspace, apply, read };
}

test("one patch adds, changes, moves and deletes, and says so", async (context) => {
  const { apply, read, workspace } = await setUp(context, { "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n" });
  await chmod(join(workspace, "b.txt"), 0o755);
  const result = await apply(
    "*** Add File: deep/new.txt\n+n\n*** Update File: a.txt\n-a\n+A\n" +
      "*** Update File: b.txt\n*** Move to: d/b.txt\n-b\n+B\n*** Delete File: c.txt",
  );
  assert.deepEqual(result, {
    output: "Done.\nA deep/new.txt\nM a.txt\nR b.txt -> d/b.txt\nD c.txt",
    isError: false,
  });
  assert.deepEqual([read("deep/new.txt"), read("a.txt"), read("d/b.txt")], ["n\n", "A\n", "B\n"]);
  assert.deepEqual(readdirSync(workspace).sort(), ["a.txt", "d", "deep"]);
  assert.equal(statSync(join(workspace, "d/b.txt")).mode & 0o777, 0o755);
});

test("a patch of which one part does not fit changes nothing", async (context) => {
  const { apply, read, workspace } = await setUp(context, { "a.txt": "a\n", "b.txt": "b\n" });
  const body = "*** Update File: a.txt\n-a\n+A\n*** Add File: n\n+x\n*** Update File: b.txt\n-zzz\n+B";
  await assert.rejects(apply(body), ToolArgumentError);
  assert.equal(read("a.txt"), "a\n");
  assert.deepEqual(readdirSync(workspace).sort(), ["a.txt", "b.txt"]);
});

test("a write that fails in the middle undoes what was written before", async (context) => {
  const { apply, read, workspace } = await setUp(context, { "a.txt": "a\n" });
  await mkdir(join(workspace, "folder"));
  await mkdir(join(workspace, "folder/in-the-way"));
  const body = "*** Update File: a.txt\n-a\n+A\n*** Add File: folder/in-the-way\n+x";
  await assert.rejects(apply(body), ToolArgumentError);
  assert.equal(read("a.txt"), "a\n");
  assert.deepEqual(readdirSync(workspace).sort(), ["a.txt", "folder"]);
});

test("nothing outside of the workspace is written, by path or by link", async (context) => {
  const { apply, workspace } = await setUp(context);
  const outside = await testWorkspace(context, { "victim.txt": "v\n" });
  await symlink(outside, join(workspace, "link"));
  await symlink(join(outside, "victim.txt"), join(workspace, "file-link"));
  await symlink(join(outside, "not-yet"), join(workspace, "dangling"));
  const bodies = [
    "*** Add File: ../escape\n+x",
    `*** Add File: ${outside}/escape\n+x`,
    "*** Add File: link/escape\n+x",
    "*** Add File: link/deep/escape\n+x",
    "*** Add File: dangling\n+x",
    "*** Update File: file-link\n-v\n+x",
    "*** Delete File: link/victim.txt",
    "*** Add File: a/../../escape\n+x",
  ];
  for (const body of bodies) await assert.rejects(apply(body), ToolArgumentError, body);
  assert.deepEqual(readdirSync(outside), ["victim.txt"]);
  assert.equal(readFileSync(join(outside, "victim.txt"), "utf8"), "v\n");
  assert.equal(existsSync(join(workspace, "..", "escape")), false);
});

test("a link inside of the workspace is followed and stays a link", async (context) => {
  const { apply, read, workspace } = await setUp(context, { "real.txt": "a\n" });
  await symlink("real.txt", join(workspace, "link.txt"));
  await apply("*** Update File: link.txt\n-a\n+b");
  assert.equal(read("real.txt"), "b\n");
  assert.equal(readFileSync(join(workspace, "link.txt"), "utf8"), "b\n");
});

test("missing files, folders, binary files and files changed twice are clear errors", async (context) => {
  const { apply } = await setUp(context, { bin: new Uint8Array([0xff, 0xfe, 0]), "d/x": "x\n", a: "a\n" });
  await assert.rejects(apply("*** Update File: nothing\n-a\n+b"), ToolArgumentError);
  await assert.rejects(apply("*** Delete File: d"), ToolArgumentError);
  await assert.rejects(apply("*** Update File: bin\n-a\n+b"), ToolArgumentError);
  await assert.rejects(apply("*** Update File: a\n-a\n+b\n*** Update File: a\n-b\n+c"), ToolArgumentError);
  assert.equal((await apply("*** Delete File: bin")).isError, false);
});
