import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { scratchFolder } from "../../support/scratch-folder.ts";
import { runCommand, startCommand } from "./support/run-command.ts";

test("a reader that leaves after the first line ends a task in order: 130 and no stack", async () => {
  using folder = scratchFolder();
  // The command keeps the turn from ending before its reader is gone.
  const call = {
    type: "function_call",
    call_id: "call_1",
    name: "shell",
    arguments: '{"command":"sleep 1"}',
  };
  const forced = join(folder.path, "forced.jsonl");
  writeFileSync(forced, `${JSON.stringify({ output: [call] })}\n`);
  const flags = ["--engine", "simulated", "--teacher-forcing", forced, "--sandbox", "none", "--json"];
  const task = ["exec", ...flags, "wait"];
  const child = startCommand(task, { folder: folder.path });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  await once(child.stdout, "data");
  child.stdout.destroy();
  assert.deepEqual(await once(child, "close"), [130, null]);
  assert.doesNotMatch(said, /^ {4}at /m);
});

test("an output on a full disk is an error of set-up", async () => {
  using folder = scratchFolder();
  const wrapper = ["sh", "-c", 'exec "$@" > /dev/full', "sh"];
  const end = await runCommand(["config"], { folder: folder.path, wrapper });
  assert.deepEqual([end.status, end.code], [3, "ENOSPC"], end.stderr);
});

test("without a terminal, a home or a PATH the configuration is printed all the same", async () => {
  using folder = scratchFolder();
  const env = { PATH: "", TERM: undefined, HOME: "/nonexistent/home", XDG_CONFIG_HOME: undefined };
  const { status, stdout } = await runCommand(["config"], { folder: folder.path, env });
  assert.equal(status, 0);
  assert.match(stdout, /^port +4141 +default$/m);
});
