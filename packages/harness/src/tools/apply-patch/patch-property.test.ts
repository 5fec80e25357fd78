import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { applyChunks } from "./apply-chunks.ts";
import { parsePatch } from "./parse-patch.ts";

/** What happens to one line of a file, and what is put in behind it. */
const edit = fc.record({
  change: fc.constantFrom("keep" as const, "keep" as const, "delete" as const, "replace" as const),
  added: fc.array(
    fc.string({ maxLength: 6 }).map((text) => text.replaceAll(/[\r\n]/g, "")),
    { maxLength: 2 },
  ),
});

interface Edit {
  readonly change: "keep" | "delete" | "replace";
  readonly added: readonly string[];
}

/** The lines after the edits, and the patch that says so: a chunk ends where enough lines were kept. */
function carryOut(
  edits: readonly Edit[],
  context: number,
): { before: string[]; after: string[]; patch: string } {
  const before = edits.map((_, index) => `  line ${index}`);
  const after: string[] = [];
  const body: string[] = [];
  let kept = context + 1;
  for (const [index, { change, added }] of edits.entries()) {
    const line = before[index]!;
    const isChanged = change !== "keep" || added.length > 0;
    if (isChanged && kept > context) {
      body.push("@@", ...before.slice(Math.max(0, index - context), index).map((text) => ` ${text}`));
    } else if (isChanged) {
      body.push(...before.slice(index - kept, index).map((text) => ` ${text}`));
    }
    kept = isChanged ? 0 : kept + 1;
    if (isChanged) body.push(change === "keep" ? ` ${line}` : `-${line}`);
    if (change === "keep") after.push(line);
    if (change === "replace") {
      after.push(`  new ${index}`);
      body.push(`+  new ${index}`);
    }
    after.push(...added);
    body.push(...added.map((text) => `+${text}`));
  }
  return { before, after, patch: `*** Begin Patch\n*** Update File: f\n${body.join("\n")}\n*** End Patch` };
}

test("any edit, written as a patch with any width of context, comes out as it was meant", () => {
  fc.assert(
    fc.property(
      fc.array(edit, { minLength: 1, maxLength: 25 }),
      fc.integer({ min: 1, max: 4 }),
      fc.constantFrom("\n", "\r\n"),
      (edits, context, lineEnd) => {
        const { before, after, patch } = carryOut(edits, context);
        fc.pre(patch.includes("@@"));
        const [change] = parsePatch(patch);
        assert.equal(change?.kind, "update");
        const content = before.map((line) => `${line}${lineEnd}`).join("");
        const expected = after.map((line) => `${line}${lineEnd}`).join("");
        assert.equal(applyChunks("f", content, change.chunks), expected);
      },
    ),
    { numRuns: 300 },
  );
});
