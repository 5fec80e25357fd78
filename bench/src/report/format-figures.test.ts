import assert from "node:assert/strict";
import { test } from "node:test";
import { formatMs, formatRatio, ratioFigures, round } from "./format-figures.ts";

const ratio = { median: 0.98765, low: 0.9541, high: 1.02, coverage: 0.978515625, pairs: 10 };

test("a ratio says how sure it is and from how many pairs", () => {
  assert.equal(formatRatio(ratio), "0.988 [0.954, 1.020] (97.9 %, 10 pairs)");
  assert.equal(formatRatio(ratio, 1), "1.0 [1.0, 1.0] (97.9 %, 10 pairs)");
  assert.deepEqual(ratioFigures(ratio), {
    median: 0.9877,
    low: 0.9541,
    high: 1.02,
    coverage: 0.9785,
    pairs: 10,
  });
});

test("figures keep four digits wherever the point stands", () => {
  assert.deepEqual([12345.678, 0.000123456, 3].map(round), [12350, 0.0001235, 3]);
});

test("milliseconds show the digits that matter", () => {
  assert.deepEqual([0.1234, 12.34, 1234.5].map(formatMs), ["0.12 ms", "12.3 ms", "1235 ms"]);
});
