import assert from "node:assert/strict";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { testWorkspace } from "../testing/test-workspace.ts";
import { ToolArgumentError } from "./tool.ts";
import { writablePath } from "./workspace-path.ts";

test("paths inside are resolved, whether they exist or not", async (context) => {
  const workspace = await testWorkspace(context, { "a/b.txt": "x" });
  await symlink("a", join(workspace, "link"));
  const table: [string, string][] = [
    ["a/b.txt", "a/b.txt"],
    ["./a/../a/b.txt", "a/b.txt"],
    ["new/deep/file", "new/deep/file"],
    ["link/b.txt", "a/b.txt"],
    ["link/new", "a/new"],
    ["..hidden", "..hidden"],
    [join(workspace, "a/b.txt"), "a/b.txt"],
  ];
  for (const [given, expected] of table) {
    assert.equal(await writablePath(workspace, given), join(workspace, expected));
  }
});

test("paths outside are refused, also where another folder's name begins alike", async (context) => {
  const parent = await testWorkspace(context);
  const workspace = join(parent, "work");
  await mkdir(workspace);
  await mkdir(join(parent, "work-other"));
  await symlink("../work-other", join(workspace, "out"));
  await symlink("loop", join(workspace, "loop"));
  for (const given of [
    "..",
    "../work-other/x",
    ".",
    "",
    workspace,
    "out/x",
    "out",
    "loop",
    "/etc/passwd",
    "a\0b",
  ]) {
    await assert.rejects(writablePath(workspace, given), ToolArgumentError, JSON.stringify(given));
  }
});
