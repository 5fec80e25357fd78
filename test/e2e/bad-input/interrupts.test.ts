import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { scratchFolder } from "../../support/scratch-folder.ts";
import { startCommand } from "./support/run-command.ts";

/** Starts a task whose only command never ends, and waits until that runs. Every process of it names the folder. */
async function neverEnding(folder: string, sandbox: "none" | "bubblewrap") {
  const command = `bash -c 'exec -a ${folder} sleep 1000'`;
  const call = {
    type: "function_call",
    call_id: "call_1",
    name: "shell",
    arguments: JSON.stringify({ command }),
  };
  const forced = join(folder, "forced.jsonl");
  writeFileSync(forced, `${JSON.stringify({ output: [call] })}\n`);
  const flags = ["--engine", "simulated", "--teacher-forcing", forced, "--sandbox", sandbox, "--json"];
  const child = startCommand(["exec", ...flags, "wait"], { folder });
  child.stderr.resume();
  const lines = createInterface({ input: child.stdout });
  const events: { type: string; outcome?: { kind: string } }[] = [];
  const isRunning = new Promise<void>((resolve) => {
    lines.on("line", (line) => {
      const event = JSON.parse(line) as (typeof events)[number];
      events.push(event);
      if (event.type === "tool-start") resolve();
    });
  });
  await isRunning;
  await until(() => processesOf(folder).some((line) => line.startsWith(`${folder} 1000`)));
  return { child, events };
}

function processesOf(folder: string): string[] {
  const all = execFileSync("ps", ["-A", "-ww", "-o", "args="], { encoding: "utf8", maxBuffer: 1e8 });
  return all.split("\n").filter((line) => line.includes(folder));
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(20);
}

const waiting = { timeout: 60_000 };

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  test(`${signal} stops the turn: 130, its command and its server ended`, waiting, async () => {
    using folder = scratchFolder();
    const { child, events } = await neverEnding(folder.path, "none");
    child.kill(signal);
    assert.deepEqual(await once(child, "close"), [130, null]);
    assert.equal(events.at(-1)?.outcome?.kind, "cancelled");
    assert.deepEqual(processesOf(folder.path), []);
  });
}

test("a program killed by force leaves neither server nor sandboxed command behind", waiting, async () => {
  using folder = scratchFolder();
  const { child } = await neverEnding(folder.path, "bubblewrap");
  child.kill("SIGKILL");
  await once(child, "exit");
  await until(() => processesOf(folder.path).length === 0);
});

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  test(`${signal} ends a server that has nothing to do: 0`, waiting, async () => {
    using folder = scratchFolder();
    const child = startCommand(["serve", "--engine", "simulated", "--port", "0"], { folder: folder.path });
    child.stderr.resume();
    await once(child.stdout, "data");
    child.kill(signal);
    assert.deepEqual(await once(child, "exit"), [0, null]);
  });
}
