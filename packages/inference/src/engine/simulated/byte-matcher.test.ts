import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ByteMatcher } from "./byte-matcher.ts";

const letters = fc.array(fc.constantFrom(97, 98), { maxLength: 40 }).map((bytes) => Uint8Array.from(bytes));
const pattern = fc
  .array(fc.constantFrom(97, 98), { minLength: 1, maxLength: 5 })
  .map((bytes) => Uint8Array.from(bytes));

test("the first match is found at its true offset, however the stream is cut", () => {
  fc.assert(
    fc.property(
      letters,
      pattern,
      fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 40, maxLength: 40 }),
      (text, wanted, cuts) => {
        const expected = Buffer.from(text).indexOf(Buffer.from(wanted));
        const matcher = new ByteMatcher([wanted]);
        let found = -1;
        let offset = 0;
        for (const cut of cuts) {
          const match = matcher.push(text.subarray(offset, offset + cut));
          offset += cut;
          if (match !== null) {
            found = match.start;
            break;
          }
        }
        assert.equal(found, expected);
      },
    ),
  );
});

test("of several patterns the one that begins first is told; an empty pattern never matches", () => {
  const matcher = new ByteMatcher([Buffer.from(""), Buffer.from("cd"), Buffer.from("bcd")]);
  assert.equal(matcher.push(Buffer.from("ab")), null);
  assert.deepEqual(matcher.push(Buffer.from("cd")), { pattern: 2, start: 1 });
});

test("a match that was told is not told again", () => {
  const matcher = new ByteMatcher([Buffer.from("ab")]);
  assert.notEqual(matcher.push(Buffer.from("ab")), null);
  assert.equal(matcher.push(Buffer.from("c")), null);
});
