import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { withCode } from "../testing/expect-code.ts";
import { scratchFolder } from "../testing/scratch.ts";
import { spawnServer } from "./spawn-server.ts";

const ready = 'process.send({ type: "ready", root: "http://127.0.0.1:1" });';
const stay = "setInterval(() => {}, 1000);";

function start(folder: string, text: string, options: { readyMs?: number; signal?: AbortSignal } = {}) {
  const program = join(folder, "program.mjs");
  writeFileSync(program, text);
  return spawnServer({
    serveArguments: ["--model", "x"],
    env: process.env,
    readyMs: options.readyMs ?? 20_000,
    endMs: 200,
    signal: options.signal ?? new AbortController().signal,
    program,
  });
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test("a server that is ready is handed over, and ends when it is closed", async () => {
  using folder = scratchFolder();
  const server = await start(folder.path, `${ready} ${stay}`);
  assert.equal(server.root, "http://127.0.0.1:1");
  assert.equal(isAlive(server.pid), true);
  await server.close();
  assert.equal(isAlive(server.pid), false);
  await server.close();
});

test("one that does not listen to the wish to end is ended by force", async () => {
  using folder = scratchFolder();
  const server = await start(folder.path, `process.on("SIGTERM", () => {}); ${ready} ${stay}`);
  await server.close();
  assert.equal(isAlive(server.pid), false);
});

test("it gets its command, and what it says when it fails is in the error", async () => {
  using folder = scratchFolder();
  const text = "console.error(process.argv.slice(2).join(' ')); process.exit(7);";
  await assert.rejects(start(folder.path, text), (error: Error) => {
    assert.ok(withCode("server_ended")(error));
    assert.match(error.message, /serve --host 127\.0\.0\.1 --port 0 --model x/);
    return true;
  });
});

for (const [status, code] of [
  [2, "usage_invalid"],
  [3, "server_not_started"],
  [4, "server_ended"],
] as const) {
  test(`one that ends with ${status} before it is ready gives ${code}, in its own words`, async () => {
    using folder = scratchFolder();
    const text = `console.error("warned"); console.error("slipstream: no disk"); process.exit(${status});`;
    await assert.rejects(start(folder.path, text), (error: Error) => {
      assert.ok(withCode(code)(error));
      assert.match(error.message, /no disk/);
      return true;
    });
  });
}

test("one that is never ready is given up, an interrupt too", async () => {
  using folder = scratchFolder();
  await assert.rejects(start(folder.path, stay, { readyMs: 100 }), withCode("server_ended"));
  const interrupt = new AbortController();
  setTimeout(() => interrupt.abort(), 50);
  await assert.rejects(start(folder.path, stay, { signal: interrupt.signal }), { name: "AbortError" });
});

test("a server that dies later is noticed", async () => {
  using folder = scratchFolder();
  const server = await start(folder.path, `${ready} setTimeout(() => process.exit(7), 50);`);
  assert.match(await server.lost, /7/);
});
