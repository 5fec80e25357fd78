import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { JsonExtent } from "./json-extent.ts";

const container = fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue()));

describe("json extent", () => {
  it("finds the end of any object or array, in any stretches", () => {
    fc.assert(
      fc.property(container, fc.constantFrom(0, 2), fc.nat(50), (value, indent, cut) => {
        const text = JSON.stringify(value, null, indent);
        const extent = new JsonExtent();
        const first = extent.scan(text.slice(0, cut), 0);
        if (cut < text.length) {
          assert.equal(first.end, -1);
          assert.deepEqual(extent.scan(`${text}}]`, cut), { end: text.length, closed: true });
        } else assert.deepEqual(first, { end: text.length, closed: true });
      }),
    );
  });

  it("stops before a tag outside of strings, and reads over one inside", () => {
    assert.deepEqual(new JsonExtent().scan('{"a": [1}</x>', 0), { end: 9, closed: false });
    assert.deepEqual(new JsonExtent().scan('{"a": "</x>\\"<"}', 0), { end: 16, closed: true });
  });
});
