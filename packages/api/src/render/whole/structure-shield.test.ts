import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { StructureGuard } from "../guard-structure.ts";
import { StructureShield } from "./structure-shield.ts";

const tokens = ["<|im_end|>", "<s>", "[INST]"];
const guard = new StructureGuard(tokens);
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...tokens, "\uFDD0", "\uFDD1"), fc.string({ maxLength: 3 })), {
    maxLength: 8,
  })
  .map((parts) => parts.join(""));

describe("structure shield", () => {
  it("breaks every structural string, and gives the text back as it was", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const shield = new StructureShield(guard, [text]);
        const shielded = shield.shield(text);
        for (const token of tokens) assert.ok(!shielded.includes(token));
        assert.equal(shield.remove(shielded), text);
      }),
    );
  });

  it("shields the strings and keys of a value, and nothing else of it", () => {
    const value = { "<s>": ["a<s>b", 1, null, true, { x: "[INST]" }], y: "plain" };
    const shield = new StructureShield(guard, [JSON.stringify(value)]);
    const text = JSON.stringify(shield.shieldValue(value));
    for (const token of tokens) assert.ok(!text.includes(token));
    assert.deepEqual(JSON.parse(shield.remove(text)), value);
  });
});
