import assert from "node:assert/strict";
import { test } from "node:test";
import { ToolArgumentError } from "../tool.ts";
import { applyChunks } from "./apply-chunks.ts";
import { parsePatch } from "./parse-patch.ts";

/** Applies the body of one update to a text. */
function update(content: string, body: string): string {
  const [change] = parsePatch(`*** Begin Patch\n*** Update File: f\n${body}\n*** End Patch`);
  assert.equal(change?.kind, "update");
  return applyChunks("f", content, change.chunks);
}

const table: readonly [name: string, content: string, body: string, expected: string][] = [
  ["replaces lines", "a\nb\nc\n", " a\n-b\n+B\n c", "a\nB\nc\n"],
  ["deletes lines", "a\nb\nc\n", "-b", "a\nc\n"],
  ["adds lines at the end without a context", "a\n", "@@\n+b", "a\nb\n"],
  ["adds lines behind a context", "a\nb\n", "@@ a\n+x", "a\nx\nb\n"],
  ["several chunks in order", "a\nb\nc\nd\n", "@@\n-a\n+A\n@@\n-d\n+D", "A\nb\nc\nD\n"],
  ["a context chooses between equal places", "f\n x\ng\n x\n", "@@ g\n- x\n+ y", "f\n x\ng\n y\n"],
  [
    "several contexts lead from outer to inner",
    "A\n f\n x\nB\n f\n x\n",
    "@@ B\n@@  f\n- x\n+ y",
    "A\n f\n x\nB\n f\n y\n",
  ],
  ["line numbers of unified diffs are passed over", "a\nb\n", "@@ -7,1 +7,1 @@\n-b\n+c", "a\nc\n"],
  ["chunks do not go back", "x\ny\nx\n", "@@\n-y\n+Y\n@@\n-x\n+X", "x\nY\nX\n"],
  ["the end of the file is meant", "x\ny\nx\n", "-x\n+z\n*** End of File", "x\ny\nz\n"],
  ["white space at the end of a line is forgiven", "a  \nb\n", " a\n-b\n+c", "a\nc\n"],
  ["indentation is forgiven when nothing else fits", "    a\n", "-a\n+    b", "    b\n"],
  ["typographic characters are forgiven", "say \u201chi\u201d \u2013 now\n", '-say "hi" - now\n+x', "x\n"],
  ["an exact match wins over a lenient one", " a\na\n", "-a\n+b", " a\nb\n"],
  ["a file without a last line feed keeps it so", "a\nb", "-b\n+c", "a\nc"],
  ["line endings of Windows are kept", "a\r\nb\r\n", " a\n-b\n+c", "a\r\nc\r\n"],
  ["an empty line may stand without its space", "a\n\nb\n", " a\n\n-b\n+c", "a\n\nc\n"],
  ["everything may go", "a\n", "-a", ""],
  ["an empty file can be filled", "", "+a", "a\n"],
];

for (const [name, content, body, expected] of table) {
  test(name, () => assert.equal(update(content, body), expected));
}

test("lines that are not there are an error that shows them", () => {
  assert.throws(
    () => update("a\n", "-b\n+c"),
    (error) => error instanceof ToolArgumentError && /b/.test(error.message),
  );
  assert.throws(() => update("a\nb\n", "@@ zzz\n-a\n+b"), ToolArgumentError);
});
