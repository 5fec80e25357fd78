import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  binaryToBytes,
  bytesToBinary,
  decodeBinary,
  heldSuffix,
  isBlank,
  StreamingText,
} from "./byte-text.ts";

describe("byte text", () => {
  it("keeps every byte, one character each", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        assert.equal(bytesToBinary(bytes).length, bytes.length);
        assert.deepEqual(Uint8Array.from(binaryToBytes(bytesToBinary(bytes))), bytes);
      }),
    );
  });

  it("reads a part of a larger buffer as that part", () => {
    assert.equal(bytesToBinary(Uint8Array.of(1, 65, 66, 2).subarray(1, 3)), "AB");
  });

  it("decodes in stretches what it decodes in one, a byte order mark and broken bytes included", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.uint8Array(), fc.constant(new TextEncoder().encode("\uFEFFaé🙂"))),
        fc.nat(20),
        (bytes, cut) => {
          const binary = bytesToBinary(bytes);
          const stream = new StreamingText();
          const text = stream.write(binary.slice(0, cut)) + stream.write(binary.slice(cut)) + stream.end();
          assert.equal(text, decodeBinary(binary));
        },
      ),
    );
    assert.equal(decodeBinary(bytesToBinary(new TextEncoder().encode("\uFEFFa"))), "\uFEFFa");
  });

  it("holds the longest end of a text that may begin a mark", () => {
    const marks = ["<tool_call>", "\n<tool_call>"];
    assert.equal(heldSuffix("text\n<tool", marks), 6);
    assert.equal(heldSuffix("text<", marks), 1);
    assert.equal(heldSuffix("text\n\n", marks), 1);
    assert.equal(heldSuffix("text<tool_call>", marks), 0);
    assert.equal(heldSuffix("", marks), 0);
  });

  it("counts ASCII white space alone as blank", () => {
    assert.ok(isBlank(" \t\r\n") && isBlank(""));
    assert.ok(!isBlank("\u00a0") && !isBlank(" x"));
  });
});
