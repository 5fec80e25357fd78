import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import fc from "fast-check";
import { endMark, shellScript } from "./shell-command.ts";

/** Runs the script in a bash of its own and gives what it wrote. */
function bash(command: string, directory = "/"): string {
  const script = shellScript({ command, directory, token: "end_1", isolated: false });
  return execFileSync("bash", ["--noprofile", "--norc"], {
    input: `set -m\n${script}`,
    stdio: ["pipe", "pipe", "ignore", "ignore"],
    encoding: "utf8",
  });
}

test("any text is one argument of eval: bash sees exactly the command", () => {
  const text = fc.string({ unit: "binary", maxLength: 40 }).filter((value) => !value.includes("\0"));
  fc.assert(
    fc.property(text, (value) => {
      const lines = value.toWellFormed();
      const quoted = `'${lines.replaceAll("'", "'\\''")}'`;
      assert.equal(bash(`printf %s ${quoted}`), `${lines}${endMark("end_1")}0\n`);
    }),
    { numRuns: 30 },
  );
});

test("the mark stands behind the output, with the exit code, whatever the command does", () => {
  const table: [string, string][] = [
    ["true", "0"],
    ["false", "1"],
    ["exit 7", "7"],
    ["exec sh -c 'exit 9'", "9"],
    ["kill -9 $BASHPID", "137"],
    ["set -e; false; echo no", "1"],
    ["return 3 2>/dev/null || exit 4", "4"],
    ["'", "2"],
  ];
  for (const [command, code] of table) {
    assert.match(bash(command), new RegExp(`${endMark("end_1")}${code}\n$`), command);
  }
});

test("a folder that is gone is an error of the command", () => {
  assert.match(bash("echo never", "/does/not/exist"), new RegExp(`${endMark("end_1")}1\n$`));
});
