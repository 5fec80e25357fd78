import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { StructuralGuard } from "./structural-guard.ts";

test("an occurrence is cut after its first character", () => {
  const guard = new StructuralGuard(["<|im_end|>", "<tool>"]);
  assert.deepEqual(guard.cut("a<|im_end|>b<tool>"), ["a<", "|im_end|>b<", "tool>"]);
  assert.deepEqual(guard.cut("plain"), ["plain"]);
  assert.deepEqual(guard.cut(""), []);
});

test("pattern characters and characters outside the basic plane are text", () => {
  assert.deepEqual(new StructuralGuard(["a.b"]).cut("axb a.b"), ["axb a", ".b"]);
  assert.deepEqual(new StructuralGuard(["𝒜𝒷"]).cut("𝒜𝒷"), ["𝒜", "𝒷"]);
});

test("no piece holds a structural text, and joined they are the text", () => {
  const texts = ["<a>", "<aa", "a>b", "{{x}}", "><"];
  const guard = new StructuralGuard(texts);
  const soup = fc
    .array(fc.constantFrom("<", "a", ">", "b", "{", "x", "}", ...texts))
    .map((all) => all.join(""));
  fc.assert(
    fc.property(soup, (text) => {
      const parts = guard.cut(text);
      assert.equal(parts.join(""), text);
      for (const part of parts) for (const structural of texts) assert.ok(!part.includes(structural));
    }),
  );
});
