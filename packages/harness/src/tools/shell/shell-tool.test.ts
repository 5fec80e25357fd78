import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { randomIds } from "../../ports/ids.ts";
import { systemClock } from "../../ports/system-clock.ts";
import { detectSandbox } from "../../sandbox/detect-sandbox.ts";
import { type SandboxChoice, shellLauncher } from "../../sandbox/sandbox.ts";
import { shellEnvironment } from "../../sandbox/shell-environment.ts";
import { testWorkspace } from "../../testing/test-workspace.ts";
import { KeptShell } from "./kept-shell.ts";
import { shellTool } from "./shell-tool.ts";

const never = new AbortController().signal;

async function setUp(context: TestContext, choice: SandboxChoice) {
  const workspace = await testWorkspace(context);
  const support = await detectSandbox(process.env["PATH"] ?? "", workspace);
  const environment = shellEnvironment({ ...process.env, MY_API_KEY: "s3cret" });
  const launcher = shellLauncher({ choice, support, workspace, network: false, environment });
  const tool = shellTool({ shell: new KeptShell(launcher, systemClock, randomIds), workspace });
  context.after(() => tool.close?.());
  const run = (command: string, more: Record<string, number> = {}, signal = never) =>
    tool.run({ command, ...more }, signal);
  return { workspace, run };
}

/** The same table for the sandboxed and the plain shell. */
for (const choice of ["bubblewrap", "none"] as const) {
  test(`${choice}: output, errors and exit code come back`, async (context) => {
    const { run, workspace } = await setUp(context, choice);
    assert.deepEqual(await run("echo out; echo err >&2; pwd"), {
      output: `exit code: 0\nout\nerr\n${workspace}\n`,
      isError: false,
    });
    assert.deepEqual(await run("printf x; exit 3"), { output: "exit code: 3\nx", isError: true });
    assert.equal((await run("if")).isError, true);
    assert.equal((await run("cat")).output, "exit code: 0\n", "standard input is empty");
  });

  test(`${choice}: calls share no state but the files`, async (context) => {
    const { run, workspace } = await setUp(context, choice);
    await run(
      "x=1; export y=2; cd /; umask 077; set -e; trap 'echo trapped' EXIT; f() { :; }; echo hi > $OLDPWD/a",
    );
    const after = await run(`echo "[$x$y]"; pwd; umask; type f 2>/dev/null; false; cat a`);
    assert.equal(after.output, `exit code: 0\n[]\n${workspace}\n0022\nhi\n`);
  });

  test(`${choice}: a command that looks like its own end changes nothing`, async (context) => {
    const { run } = await setUp(context, choice);
    const fake = String.raw`printf '\036end_x:0\n'; printf '\036'; echo "it's"; exit 4`;
    assert.equal((await run(fake)).output, "exit code: 4\n\uFFFDend_x:0\n\uFFFDit's\n");
  });

  test(`${choice}: after a timeout the shell is replaced and works on`, async (context) => {
    const { run, workspace } = await setUp(context, choice);
    await run("true");
    const late = await run("echo before; sleep 60; touch late", { timeout_ms: 700 });
    assert.equal(late.isError, true);
    assert.match(late.output, /before/);
    assert.equal((await run("echo on")).output, "exit code: 0\non\n");
    assert.equal(existsSync(join(workspace, "late")), false);
  });

  test(`${choice}: a cancel ends the command at once`, async (context) => {
    const { run } = await setUp(context, choice);
    const abort = new AbortController();
    const running = run("sleep 60", {}, abort.signal);
    setTimeout(() => abort.abort(), 50);
    assert.equal((await running).isError, true);
    assert.equal((await run("echo on")).isError, false);
  });

  test(`${choice}: background children are killed when their command ends`, async (context) => {
    const { run, workspace } = await setUp(context, choice);
    await run("(while :; do date +%N > tick; sleep 0.01; done) & sleep 0.1");
    const before = readFileSync(join(workspace, "tick"), "utf8");
    await run("sleep 0.1");
    assert.equal(readFileSync(join(workspace, "tick"), "utf8"), before);
  });

  test(`${choice}: a command that kills its shell is an error, and the next one works`, async (context) => {
    const { run } = await setUp(context, choice);
    assert.equal((await run("kill -9 $$; sleep 5")).isError, true);
    assert.equal((await run("echo on")).output, "exit code: 0\non\n");
  });

  test(`${choice}: 100 MB of output come back cut, with head, tail and mark`, async (context) => {
    const { run } = await setUp(context, choice);
    const { output } = await run("echo HEAD; head -c 100000000 /dev/zero | tr '\\0' x; echo; echo TAIL");
    assert.ok(Buffer.byteLength(output) <= 40_100);
    assert.ok(output.startsWith("exit code: 0\nHEAD\n"));
    assert.ok(output.endsWith("TAIL\n"));
    assert.match(output, /100000011 bytes/);
  });

  test(`${choice}: the model may ask for less output; binary output is made readable`, async (context) => {
    const { run } = await setUp(context, choice);
    const { output } = await run("seq 100000", { max_output_tokens: 100 });
    assert.ok(Buffer.byteLength(output) <= 420);
    const binary = await run(String.raw`printf '\000\377\376ok'`);
    assert.equal(binary.output, "exit code: 0\n\uFFFD\uFFFD\uFFFDok");
  });

  test(`${choice}: secrets of the environment stay outside`, async (context) => {
    const { run } = await setUp(context, choice);
    assert.equal((await run('echo "[$MY_API_KEY]"')).output, "exit code: 0\n[]\n");
  });
}

test("bubblewrap: nothing outside of the workspace can be written, and there is no network", async (context) => {
  const { run } = await setUp(context, "bubblewrap");
  assert.equal((await run("touch /etc/slipstream-test")).isError, true);
  assert.equal((await run("touch /usr/slipstream-test")).isError, true);
  assert.equal((await run("touch inside /tmp/private")).isError, false);
  assert.equal(existsSync("/tmp/private"), false, "temporary files are private");
  assert.equal((await run("exec 9<>/dev/tcp/127.0.0.1/1")).isError, true);
  const interfaces = await run("tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '");
  assert.equal(interfaces.output, "exit code: 0\nlo\n");
});

test("bubblewrap: not even the superuser gets out of it", async (context) => {
  const { run } = await setUp(context, "bubblewrap");
  assert.match((await run("grep CapEff /proc/self/status")).output, /CapEff:\s+0+\n/);
  assert.equal((await run("mount -o remount,rw,bind /")).isError, true);
  assert.equal((await run("unshare -Urm sh -c 'mount -o remount,rw,bind /'")).isError, true);
  // Writing what is there already: harmless where it succeeds, and then the test fails.
  for (const file of ["/proc/sys/kernel/core_pattern", "/proc/sys/vm/swappiness"]) {
    assert.equal((await run(`v=$(cat ${file}); echo "$v" > ${file}`)).isError, true, file);
  }
});

test("bubblewrap: a daemon that leaves its process group is killed too", async (context) => {
  const { run } = await setUp(context, "bubblewrap");
  await run("setsid tail -f /dev/null & sleep 0.05");
  // The kernel takes a killed process away a moment later; a dead one may still wait to be collected (state Z).
  const alive = await run(
    "for turn in {1..100}; do cat /proc/[0-9]*/stat | grep -q '(tail) [^ZX]' || exit 1; sleep 0.02; done",
  );
  assert.equal(alive.output, "exit code: 1\n");
});
