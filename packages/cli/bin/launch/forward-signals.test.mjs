import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { forwardSignals } from "./forward-signals.mjs";

/** @param {string} text */
const node = (text) => spawn(process.execPath, ["-e", text], { stdio: "ignore" });

test("the child's exit status is handed on", async () => {
  assert.equal(await forwardSignals(node("process.exitCode = 7")), 7);
});

test("a child that a signal ended gives 128 and its number, as shells do", async () => {
  assert.equal(await forwardSignals(node("process.kill(process.pid, 'SIGKILL')")), 128 + 9);
});

test("nobody listens for signals afterwards, and a program that is not there is an error", async () => {
  const before = process.listenerCount("SIGTERM");
  await forwardSignals(node(""));
  await assert.rejects(forwardSignals(spawn("no-such-program-anywhere")), { code: "ENOENT" });
  assert.equal(process.listenerCount("SIGTERM"), before);
});
