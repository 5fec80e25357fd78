import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { greatestLogit, logSumExp } from "./log-probability.ts";
import { maskLogits } from "./mask-logits.ts";

test("log probabilities sum to one, for logits of any size", () => {
  const logit = fc.float({ min: -1000, max: 1000, noNaN: true });
  fc.assert(
    fc.property(fc.array(logit, { minLength: 1, maxLength: 100 }), (values) => {
      const logits = Float32Array.from(values);
      const total = logSumExp(logits);
      const sum = logits.reduce((before, value) => before + Math.exp(value - total), 0);
      assert.ok(Math.abs(sum - 1) < 1e-9);
    }),
  );
});

test("no finite logit: no greatest one", () => {
  assert.equal(greatestLogit(Float32Array.of(-Infinity, Number.NaN)), -1);
  assert.equal(logSumExp(Float32Array.of(-Infinity)), -Infinity);
});

test("a mask leaves exactly the tokens whose bit is set", () => {
  const ids = fc.uniqueArray(fc.nat(99), { maxLength: 100 });
  fc.assert(
    fc.property(ids, (allowed) => {
      const mask = new Uint32Array(4);
      for (const id of allowed) mask[id >> 5] = ((mask[id >> 5] ?? 0) | (1 << (id & 31))) >>> 0;
      const logits = new Float32Array(100).fill(1);
      maskLogits(logits, mask);
      const left = [...logits.keys()].filter((id) => logits[id] === 1);
      assert.deepEqual(
        left,
        [...allowed].sort((a, b) => a - b),
      );
    }),
  );
});

test("a mask shorter than the vocabulary forbids the rest", () => {
  const logits = new Float32Array(70).fill(1);
  maskLogits(logits, Uint32Array.of(0xffffffff));
  assert.equal(logits.filter((logit) => logit === 1).length, 32);
});
