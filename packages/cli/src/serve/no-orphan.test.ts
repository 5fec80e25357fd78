import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { scratchFolder } from "../testing/scratch.ts";

const pollMs = 20;

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test("a server ends when the process that started it is killed", async () => {
  using folder = scratchFolder();
  const starter = join(folder.path, "starter.mjs");
  const module = new URL("./spawn-server.ts", import.meta.url).href;
  writeFileSync(
    starter,
    `import { spawnServer } from ${JSON.stringify(module)};
     const serveArguments = ["--engine", "simulated", "--store", ":memory:", "--log-level", "silent"];
     const signal = new AbortController().signal;
     const server = await spawnServer({ serveArguments, env: process.env, readyMs: 60_000, endMs: 1000, signal });
     console.log(server.pid);
     setInterval(() => {}, 1000);`,
  );
  const env = { ...process.env, XDG_STATE_HOME: folder.path, NODE_TEST_CONTEXT: undefined };
  const child = spawn(process.execPath, [starter], { env, stdio: ["ignore", "pipe", "inherit"] });
  const [first] = (await once(child.stdout, "data")) as [Buffer];
  const server = Number(first.toString());
  assert.equal(isAlive(server), true);
  child.kill("SIGKILL");
  while (isAlive(server)) await setTimeout(pollMs);
});
