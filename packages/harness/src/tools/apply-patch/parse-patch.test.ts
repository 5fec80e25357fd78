import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ToolArgumentError } from "../tool.ts";
import { parsePatch } from "./parse-patch.ts";

test("adds, deletes, updates and moves are read in order", () => {
  const patch = `*** Begin Patch
*** Add File: a/new.txt
+one
+
+two
*** Delete File: old.txt
*** Update File: from.txt
*** Move to: to.txt
@@ function f() {
 keep
-drop
+add
*** End of File
*** End Patch`;
  assert.deepEqual(parsePatch(patch), [
    { kind: "add", path: "a/new.txt", content: "one\n\ntwo\n" },
    { kind: "delete", path: "old.txt" },
    {
      kind: "update",
      path: "from.txt",
      moveTo: "to.txt",
      chunks: [
        { contexts: ["function f() {"], before: ["keep", "drop"], after: ["keep", "add"], atEnd: true },
      ],
    },
  ]);
});

test("what models put around a patch is taken off", () => {
  const patch = "```\napply_patch <<'EOF'\n*** Begin Patch\r\n*** Delete File: a\r\n*** End Patch\nEOF\n```";
  assert.deepEqual(parsePatch(patch), [{ kind: "delete", path: "a" }]);
});

const broken: readonly string[] = [
  "",
  "*** Begin Patch",
  "*** Begin Patch\n*** End Patch",
  "*** Begin Patch\nhello\n*** End Patch",
  "*** Begin Patch\n*** Add File: a\nline\n*** End Patch",
  "*** Begin Patch\n*** Update File: a\n*** End Patch",
  "*** Begin Patch\n*** Update File: a\n@@\n*** End Patch",
  "*** Begin Patch\n*** Update File: a\n?x\n*** End Patch",
];

for (const patch of broken) {
  test(`not valid: ${JSON.stringify(patch)}`, () =>
    assert.throws(() => parsePatch(patch), ToolArgumentError));
}

test("any text is read or refused, never a crash or an endless loop", () => {
  const line = fc.oneof(
    fc.constantFrom(
      "*** Add File: a",
      "*** Update File: b",
      "*** Delete File: c",
      "*** Move to: d",
      "@@",
      "@@ x",
    ),
    fc.constantFrom("+x", "-x", " x", "", "*** End of File", "*** End Patch", "*** Begin Patch"),
    fc.string({ maxLength: 5 }),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
      try {
        parsePatch(["*** Begin Patch", ...lines, "*** End Patch"].join("\n"));
      } catch (error) {
        assert.ok(error instanceof ToolArgumentError);
      }
    }),
    { numRuns: 500 },
  );
});
