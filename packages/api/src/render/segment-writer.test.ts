import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { StructureGuard } from "./guard-structure.ts";
import { SegmentWriter } from "./segment-writer.ts";

const guard = new StructureGuard(["<|im_start|>", "<|im_end|>"]);

describe("segment writer", () => {
  it("joins plain texts up to the next token, so that they merge as in the whole", () => {
    const out = new SegmentWriter(guard).mark("<|im_start|>").plain("user\n").plain("hi").mark("<|im_end|>");
    assert.deepEqual(out.segments(), [
      { text: "<|im_start|>", special: true },
      { text: "user\nhi", special: false },
      { text: "<|im_end|>", special: true },
    ]);
  });

  it("writes a mark that the vocabulary does not have as plain text", () => {
    const out = new SegmentWriter(guard).plain("a").mark("<tool_call>").plain("b");
    assert.deepEqual(out.segments(), [{ text: "a<tool_call>b", special: false }]);
  });

  it("cuts structure that arises only where two texts meet", () => {
    const pieces = new SegmentWriter(guard).plain("<|im_").plain("end|>").segments();
    assert.ok(pieces.every((piece) => !piece.special && piece.text !== "<|im_end|>"));
    assert.equal(pieces.map((piece) => piece.text).join(""), "<|im_end|>");
  });

  it("writes nothing for nothing", () => {
    assert.deepEqual(new SegmentWriter(guard).plain("").segments(), []);
  });
});
