import assert from "node:assert/strict";
import { test } from "node:test";
import { runProgram } from "./run-program.ts";

const never = new AbortController().signal;
const node = (text: string, signal = never) =>
  runProgram(process.execPath, ["-e", text], { env: {}, signal });

test("status and output of both streams are told", async () => {
  const result = await node("console.log('out'); console.error('err'); process.exitCode = 3;");
  assert.equal(result.code, 3);
  assert.match(result.output, /out/);
  assert.match(result.output, /err/);
});

test("only the end of a long output is kept", async () => {
  const { output } = await node("console.log('x'.repeat(100_000)); console.log('the end');");
  assert.ok(output.length < 10_000);
  assert.match(output, /the end\n$/);
});

test("a program that is not there is no failure of its own", async () => {
  const { code } = await runProgram("no-such-program-anywhere", [], { env: {}, signal: never });
  assert.equal(code, null);
});

test("an abort ends the program, and is told when it is gone", async () => {
  const interrupt = new AbortController();
  const run = node("setInterval(() => {}, 1000)", interrupt.signal);
  setTimeout(() => interrupt.abort(), 100);
  await assert.rejects(run, { name: "AbortError" });
});
