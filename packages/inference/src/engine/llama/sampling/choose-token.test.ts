import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Sampling } from "../../../port/decode-program.ts";
import { chooseToken } from "./choose-token.ts";
import { seededRandom } from "./random.ts";

const sampling = (changes: Partial<Sampling>): Sampling => ({
  temperature: 1,
  topK: 0,
  topP: 1,
  seed: 1,
  ...changes,
});

const shares = (logits: Float32Array, settings: Sampling, draws: number): number[] => {
  const random = seededRandom(7);
  const counts = new Array<number>(logits.length).fill(0);
  for (let draw = 0; draw < draws; draw += 1) {
    const id = chooseToken(logits, settings, random);
    counts[id] = (counts[id] ?? 0) + 1 / draws;
  }
  return counts;
};

test("temperature 0 and top-k 1 are greedy, ties go to the first", () => {
  const logits = Float32Array.of(1, 5, 5, 2);
  const never = (): number => assert.fail("no random number is needed");
  assert.equal(chooseToken(logits, sampling({ temperature: 0 }), never), 1);
  assert.equal(chooseToken(logits, sampling({ topK: 1 }), never), 1);
});

test("draws follow the distribution at the given temperature", () => {
  const logits = Float32Array.of(0, Math.log(2), Math.log(5));
  for (const temperature of [0.5, 1, 2]) {
    const weights = [1, 2, 5].map((weight) => weight ** (1 / temperature));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    for (const [id, share] of shares(logits, sampling({ temperature }), 20_000).entries()) {
      assert.ok(Math.abs(share - (weights[id] ?? 0) / total) < 0.02, `${temperature} ${id} ${share}`);
    }
  }
});

test("top-k keeps the k greatest, top-p the fewest that reach p", () => {
  const logits = Float32Array.from([0.1, 0.4, 0.2, 0.3], Math.log);
  const drawn = (settings: Partial<Sampling>) =>
    shares(logits, sampling(settings), 2_000).flatMap((share, id) => (share > 0 ? [id] : []));
  assert.deepEqual(drawn({ topK: 2 }), [1, 3]);
  assert.deepEqual(drawn({ topP: 0.39 }), [1]);
  assert.deepEqual(drawn({ topP: 0.65 }), [1, 3]);
  assert.deepEqual(drawn({ topP: 0.75 }), [1, 2, 3]);
  assert.deepEqual(drawn({ topK: 3, topP: 0.5 }), [1, 3]);
});

test("masked and impossible tokens are never chosen", () => {
  const logits = Float32Array.of(-Infinity, Number.NaN, 3, -Infinity);
  for (const settings of [sampling({}), sampling({ topK: 3 }), sampling({ topP: 0.5 })]) {
    assert.equal(chooseToken(logits, settings, seededRandom(3)), 2);
  }
  assert.equal(chooseToken(Float32Array.of(-Infinity, Number.NaN), sampling({}), seededRandom(3)), -1);
});

test("the same seed repeats, whatever the logits", () => {
  fc.assert(
    fc.property(
      fc.array(fc.float({ min: -50, max: 50, noNaN: true }), { minLength: 1, maxLength: 200 }),
      fc.maxSafeNat(),
      fc.record({
        temperature: fc.double({ min: 0, max: 5, noNaN: true }),
        topK: fc.nat(50),
        topP: fc.double({ min: 0.01, max: 1, noNaN: true }),
      }),
      (values, seed, settings) => {
        const logits = Float32Array.from(values);
        const run = (): number[] => {
          const random = seededRandom(seed);
          return Array.from({ length: 5 }, () => chooseToken(logits, sampling(settings), random));
        };
        const first = run();
        assert.deepEqual(run(), first);
        for (const id of first) assert.ok(id >= 0 && id < values.length);
      },
    ),
  );
});

test("seeds that differ only above 32 bits differ", () => {
  const stream = (seed: number): number[] => {
    const random = seededRandom(seed);
    return Array.from({ length: 4 }, random);
  };
  assert.notDeepEqual(stream(5), stream(5 + 2 ** 32));
  assert.notDeepEqual(stream(5), stream(6));
  for (const value of stream(9)) assert.ok(value >= 0 && value < 1);
});
