import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { scratchFolder } from "../../support/scratch-folder.ts";
import { runCommand } from "./support/run-command.ts";

/** Runs a task whose model makes these calls of the shell one after the other, and gives what each brought back. */
async function outputsOf(calls: readonly Readonly<Record<string, unknown>>[]) {
  using folder = scratchFolder();
  const lines = calls.map((input, index) => ({
    output: [
      { type: "function_call", call_id: `call_${index}`, name: "shell", arguments: JSON.stringify(input) },
    ],
  }));
  const answer = { type: "message", role: "assistant", content: [{ type: "output_text", text: "Done." }] };
  const forced = join(folder.path, "forced.jsonl");
  const all = [...lines, { output: [answer] }];
  writeFileSync(forced, all.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const flags = ["--engine", "simulated", "--teacher-forcing", forced, "--sandbox", "bubblewrap", "--json"];
  const end = await runCommand(["exec", ...flags, "Do it."], { folder: folder.path });
  const events = end.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string; output?: string });
  const outputs = events.flatMap((event) => (event.type === "tool-end" ? [String(event.output)] : []));
  return { end, outputs };
}

test("a command that never ends is ended, one that prints 100 MB is cut, and the task goes on", async () => {
  const { end, outputs } = await outputsOf([
    { command: "echo started; sleep 1000", timeout_ms: 300 },
    { command: "echo head; yes | head -c 100000000; echo tail" },
    { command: "exit 3" },
    { command: "cat", timeout_ms: 5000 },
  ]);
  assert.equal(end.status, 0, end.stderr);
  const [slow = "", loud = "", failed = ""] = outputs;
  assert.equal(outputs.length, 4);
  assert.match(slow, /300 ms[\s\S]*started/);
  assert.ok(loud.length < 100_000, `${loud.length} characters came back`);
  assert.match(loud, /head[\s\S]*tail/);
  assert.match(failed, /\b3\b/);
});
