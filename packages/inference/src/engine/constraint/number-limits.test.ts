import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { limitsNumbers, numberCanFit, numberFits, numberLimits } from "./number-limits.ts";

test("reads inclusive and exclusive limits, whole ones for an integer", () => {
  const integer = numberLimits({ type: "integer", exclusiveMinimum: 0, maximum: 9.5 });
  assert.deepEqual(integer, { min: 1, max: 9, above: false, below: false, integer: true });
  const number = numberLimits({ type: "number", minimum: 0, exclusiveMaximum: 1 });
  assert.deepEqual(number, { min: 0, max: 1, above: false, below: true, integer: false });
  assert.equal(limitsNumbers(number), true);
  assert.equal(limitsNumbers(numberLimits({ type: "number" })), false);
});

test("a number is within its limits or not", () => {
  const limits = numberLimits({ type: "number", minimum: -1, exclusiveMaximum: 2.5 });
  assert.deepEqual(
    ["-1", "-0", "2.49", "2.5", "-1.1"].map((text) => numberFits(text, limits)),
    [true, true, true, false, false],
  );
});

test("a text can fit exactly when some integer that starts with it does", () => {
  fc.assert(
    fc.property(fc.integer({ min: -1500, max: 1500 }), fc.nat(900), (minimum, span) => {
      const limits = numberLimits({ type: "integer", minimum, maximum: minimum + span });
      const beginnings = new Set<string>();
      for (let value = minimum; value <= minimum + span; value += 1) {
        const text = String(value);
        for (let length = 1; length <= text.length; length += 1) beginnings.add(text.slice(0, length));
      }
      for (let value = -1600; value <= 2500; value += 1) {
        assert.equal(numberCanFit(String(value), limits), beginnings.has(String(value)), `${value}`);
      }
    }),
    { numRuns: 30 },
  );
});

test("a fraction can fit while its digits leave the range within reach", () => {
  const limits = numberLimits({ type: "number", exclusiveMinimum: 0.25, maximum: 0.5 });
  for (const text of ["0", "0.", "0.2", "0.25", "0.3", "0.5", "0.50"]) {
    assert.equal(numberCanFit(text, limits), true, text);
  }
  for (const text of ["-", "1", "0.1", "0.24", "0.51", "0.6", "0.3e"]) {
    assert.equal(numberCanFit(text, limits), false, text);
  }
});

test("a range without an end is reached by adding digits", () => {
  const limits = numberLimits({ type: "number", minimum: 1e6 });
  assert.equal(numberCanFit("1", limits), true);
  assert.equal(numberCanFit("0", limits), false);
  assert.equal(numberCanFit("-", limits), false);
});
