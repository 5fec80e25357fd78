import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { lapRecordFixture } from "../testing/response-write.ts";
import { packMarks, packSampled, unpackMarks, unpackSampled } from "./pack-numbers.ts";
import { packBytes, packText, unpackBytes, unpackText } from "./pack-text.ts";

const uint32 = fc.integer({ min: 0, max: 0xffffffff });

describe("packing", () => {
  it("gives back any text, whatever its characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 2_000 }), (text) => {
        assert.equal(unpackText(packText(text)), text);
      }),
    );
  });

  it("never grows by more than one byte", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_000 }), (bytes) => {
        const packed = packBytes(bytes);
        assert.ok(packed.length <= bytes.length + 1);
        assert.deepEqual(new Uint8Array(unpackBytes(packed)), bytes);
      }),
    );
  });

  it("shrinks a lap record to a third", () => {
    const text = JSON.stringify(lapRecordFixture());
    assert.ok(packText(text).length * 3 < text.length, `${packText(text).length} of ${text.length}`);
  });

  it("refuses a form it does not know", () => {
    assert.throws(() => unpackBytes(Uint8Array.of(9, 1, 2)), RangeError);
    assert.throws(() => unpackBytes(new Uint8Array(0)), RangeError);
  });

  it("gives back sampled ids in at most three bytes for a vocabulary of two million", () => {
    fc.assert(
      fc.property(uint32, fc.uint32Array(), (firstItem, ids) => {
        assert.deepEqual(unpackSampled(packSampled({ firstItem, ids })), { firstItem, ids });
      }),
    );
    const ids = Uint32Array.from({ length: 100 }, () => 2 ** 21 - 1);
    assert.ok(packSampled({ firstItem: 0, ids }).length <= 301);
  });

  it("gives back marks", () => {
    const step = fc.record({ length: fc.nat(100_000), aligned: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        let end = 0;
        const marks = steps.map(({ length, aligned }) => {
          end += length;
          return { end, aligned };
        });
        assert.deepEqual(unpackMarks(packMarks(marks)), marks);
      }),
    );
  });

  it("refuses numbers that would not come back", () => {
    for (const end of [-1, 1.5, Number.NaN, 2 ** 32]) {
      assert.throws(() => packMarks([{ end, aligned: false }]), RangeError);
    }
  });
});
