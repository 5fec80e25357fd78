import assert from "node:assert/strict";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runProgram } from "../program.ts";
import { fakeContext } from "../testing/fake-context.ts";
import { scratchFolder } from "../testing/scratch.ts";

async function exec(home: string, ...more: string[]) {
  const workspace = join(home, "work");
  mkdirSync(workspace, { recursive: true });
  const context = fakeContext(home, { PATH: process.env.PATH, HOME: home });
  const fixed = ["--engine", "simulated", "--sandbox", "none", "--workspace", workspace];
  const status = await runProgram(["exec", "say hi", ...fixed, ...more], context);
  return { status, out: context.stdout(), note: context.stderr() };
}

test("a task is done on a server that was started for it, and its events are lines of JSON", async () => {
  using home = scratchFolder();
  const { status, out, note } = await exec(home.path, "--json");
  assert.equal(status, 0, note);
  const types = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).type);
  assert.equal(types[0], "turn-start");
  assert.equal(types.at(-1), "turn-end");
  assert.ok(types.includes("lap-end"));
  assert.match(note, /^session session_/m);
});

test("for a person only the answer is on standard output, and an ephemeral session leaves no file", async () => {
  using home = scratchFolder();
  const { status, out, note } = await exec(home.path, "--ephemeral");
  assert.equal(status, 0, note);
  assert.notEqual(out.trim(), "");
  assert.doesNotMatch(out, /turn-start/);
  assert.match(note, /lap 1: \d+ bytes/);
  assert.deepEqual(readdirSync(home.path).sort(), [".local", "work"]);
  assert.equal(readdirSync(join(home.path, ".local/state/slipstream")).includes("sessions"), false);
});

test("a workspace that is not there, or a server that does not come up, is said with its status", async () => {
  using home = scratchFolder();
  assert.equal((await exec(home.path, "--workspace", join(home.path, "none"))).status, 3);
  const { status, note } = await exec(home.path, "--teacher-forcing", join(home.path, "none.jsonl"));
  assert.equal(status, 3);
  assert.match(note, /trajectory_unreadable/);
});
