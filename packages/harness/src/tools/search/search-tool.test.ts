import assert from "node:assert/strict";
import { chmod, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { systemClock } from "../../ports/system-clock.ts";
import { testWorkspace } from "../../testing/test-workspace.ts";
import { ToolArgumentError } from "../tool.ts";
import { searchTool } from "./search-tool.ts";

const never = new AbortController().signal;

const files = {
  "src/a.ts": "const alpha = 1;\nconst beta = 2;\n",
  "src/b.js": "alpha();\n",
  "node_modules/x/index.js": "alpha hidden\n",
  ".git/config": "alpha hidden\n",
  "image.bin": new Uint8Array([0, 97, 108, 112, 104, 97]),
};

async function setUp(context: TestContext, timeoutMs = 20_000, ripgrep: string | null = null) {
  const workspace = await testWorkspace(context, files);
  const tool = searchTool({ workspace, ripgrep, clock: systemClock, timeoutMs });
  return { workspace, search: (given: Record<string, string | number>) => tool.run(given, never) };
}

test("matches come as path, line and text, in order, without hidden, built and binary files", async (context) => {
  const { search } = await setUp(context);
  assert.deepEqual(await search({ pattern: "al\\w+a" }), {
    output: "src/a.ts:1:const alpha = 1;\nsrc/b.js:1:alpha();",
    isError: false,
  });
  assert.equal((await search({ pattern: "alpha", glob: "*.ts" })).output, "src/a.ts:1:const alpha = 1;");
  assert.equal((await search({ pattern: "alpha", path: "src/b.js" })).output, "src/b.js:1:alpha();");
  assert.match((await search({ pattern: "alpha", max_results: 1 })).output, /a\.ts:1.*\n\[more than 1/);
});

test("no match, a bad pattern and a missing folder are clear", async (context) => {
  const { search } = await setUp(context);
  assert.deepEqual(await search({ pattern: "nowhere" }), { output: "No line matches.", isError: false });
  await assert.rejects(search({ pattern: "(" }), ToolArgumentError);
  await assert.rejects(search({ pattern: "a", path: "nothing" }), ToolArgumentError);
});

test("a pattern that takes exponential time is stopped", async (context) => {
  const { search, workspace } = await setUp(context, 500);
  await writeFile(join(workspace, "evil.txt"), `${"a".repeat(60)}!`);
  await assert.rejects(search({ pattern: "^(a+)+$", path: "evil.txt" }), ToolArgumentError);
});

test("links that lead in circles end", async (context) => {
  const { search, workspace } = await setUp(context);
  await symlink(workspace, join(workspace, "src/loop"));
  assert.match((await search({ pattern: "beta" })).output, /^src\/a\.ts:2:const beta = 2;$/);
});

test("ripgrep is asked where it is installed: its matches, errors and limits are the tool's", async (context) => {
  const programs = await testWorkspace(context);
  const program = join(programs, "rg");
  const { search, workspace } = await setUp(context, 20_000, program);
  const script = async (text: string): Promise<void> => {
    await writeFile(program, `#!/bin/sh\n${text}\n`);
    await chmod(program, 0o755);
  };
  await script(`echo "${workspace}/src/a.ts:1:x"; echo "${workspace}/src/b.js:9:y:z"`);
  assert.equal((await search({ pattern: "x" })).output, "src/a.ts:1:x\nsrc/b.js:9:y:z");
  assert.match((await search({ pattern: "x", max_results: 1 })).output, /^src\/a\.ts:1:x\n\[more than 1/);
  await script("exit 1");
  assert.equal((await search({ pattern: "x" })).output, "No line matches.");
  await script("echo 'regex parse error' >&2; exit 2");
  await assert.rejects(search({ pattern: "(" }), ToolArgumentError);
});
