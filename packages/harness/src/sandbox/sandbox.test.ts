import assert from "node:assert/strict";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { HarnessError } from "../errors.ts";
import { testWorkspace } from "../testing/test-workspace.ts";
import { detectSandbox, findProgram } from "./detect-sandbox.ts";
import { type SandboxChoice, type SandboxSupport, shellLauncher } from "./sandbox.ts";
import { shellEnvironment } from "./shell-environment.ts";

function launch(choice: SandboxChoice, support: SandboxSupport, network = false) {
  return shellLauncher({ choice, support, workspace: "/work", network, environment: {} });
}

function hasCode(code: string): (error: unknown) => boolean {
  return (error) => HarnessError.isInstance(error) && error.code === code;
}

test("without bubblewrap nothing runs unless the user agreed to it", () => {
  for (const choice of ["auto", "bubblewrap"] as const) {
    assert.throws(() => launch(choice, { kind: "missing" }), hasCode("sandbox_missing"));
    assert.throws(() => launch(choice, { kind: "unusable", reason: "x" }), hasCode("sandbox_unusable"));
  }
  assert.equal(launch("none", { kind: "missing" }).isolated, false);
});

test("the network is shared only where it was allowed", () => {
  const support = { kind: "bubblewrap", file: "/usr/bin/bwrap" } as const;
  assert.ok(!launch("auto", support).arguments.includes("--share-net"));
  assert.ok(launch("auto", support, true).arguments.includes("--share-net"));
});

test("a missing, a broken and a working bubblewrap are told apart", async (context) => {
  const folder = await testWorkspace(context);
  assert.deepEqual(await detectSandbox(folder, folder), { kind: "missing" });
  const program = join(folder, "bwrap");
  await writeFile(program, "#!/bin/sh\necho 'no user namespaces' >&2\nexit 1\n");
  await chmod(program, 0o755);
  assert.deepEqual(await detectSandbox(folder, folder), { kind: "unusable", reason: "no user namespaces" });
  await writeFile(program, "#!/bin/sh\nexit 0\n");
  assert.deepEqual(await detectSandbox(folder, folder), { kind: "bubblewrap", file: program });
});

test("relative entries of PATH are never searched", async () => {
  assert.equal(await findProgram("package.json", ".:"), null);
});

test("what looks like a secret does not reach commands", () => {
  const environment = shellEnvironment({
    PATH: "/bin",
    OPENAI_API_KEY: "1",
    GITHUB_TOKEN: "2",
    db_password: "3",
    GONE: undefined,
  });
  assert.deepEqual(Object.keys(environment).sort(), ["GIT_PAGER", "PAGER", "PATH", "TERM", "TMPDIR"]);
});
