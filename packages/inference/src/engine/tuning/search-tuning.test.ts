import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { searchTuning } from "./search-tuning.ts";
import { type MachineModel, sampleOf } from "./test-machine.ts";
import { defaultTuning, isSameTuning, type Tuning } from "./tuning.ts";

const scaling: MachineModel = {
  prefillMs: (threads) => 800 / threads,
  decodeMs: (threads) => 200 / Math.min(threads, 4),
  withoutFlash: 1.3,
  smallBatch: 1.2,
};

/** Measures `machine` with the given noise factors in turn, for at most `most` samples. */
function fakeMeter(machine: MachineModel, noise: readonly number[] = [1], most = Number.MAX_SAFE_INTEGER) {
  const measured: Tuning[] = [];
  const measure = async (tuning: Tuning) => {
    if (measured.length >= most) return null;
    measured.push(tuning);
    return sampleOf(machine, tuning, noise[(measured.length - 1) % noise.length] ?? 1);
  };
  return { measure, measured };
}

describe("searchTuning", () => {
  test("gives prefill and decode the threads each gains by, and of equals the fewest", async () => {
    const { tuning, isComplete } = await searchTuning(8, fakeMeter(scaling).measure);
    assert.deepEqual(tuning.threads, { prefill: 8, decode: 4 });
    assert.deepEqual([tuning.flashAttention, tuning.batchTokens], [true, 512]);
    assert.equal(isComplete, true);
  });

  test("takes what is faster without flash attention and with a small batch", async () => {
    const machine = { ...scaling, withoutFlash: 0.8, smallBatch: 0.9 };
    const { tuning } = await searchTuning(2, fakeMeter(machine).measure);
    assert.deepEqual([tuning.flashAttention, tuning.batchTokens], [false, 256]);
  });

  test("keeps the defaults where the alternatives are equal", async () => {
    const machine = { ...scaling, withoutFlash: 1, smallBatch: 1 };
    const { tuning } = await searchTuning(2, fakeMeter(machine).measure);
    assert.deepEqual(tuning, { ...defaultTuning(2), threads: tuning.threads });
  });

  test("measures each candidate twice at least, there and back", async () => {
    const { measure, measured } = fakeMeter({ ...scaling, prefillMs: (threads) => 800 / (threads + 4) });
    await searchTuning(4, measure);
    const threads = measured.slice(0, 8).map((tuning) => tuning.threads.prefill);
    assert.deepEqual(threads, [4, 3, 2, 1, 1, 2, 3, 4]);
    for (const tuning of measured) {
      assert.ok(measured.filter((other) => isSameTuning(other, tuning)).length >= 2);
    }
  });

  test("does not go on with thread counts that have lost by far", async () => {
    const machine = { ...scaling, prefillMs: (threads: number) => (threads < 8 ? 8_000 : 100) };
    const { measure, measured } = fakeMeter(machine);
    const { tuning } = await searchTuning(8, measure);
    assert.equal(tuning.threads.prefill, 8);
    assert.deepEqual([...new Set(measured.map(({ threads }) => threads.prefill))], [8, 6]);
  });

  test("one outlier decides nothing: where rounds overlap there is a third", async () => {
    const equal = { ...scaling, withoutFlash: 1, smallBatch: 1, prefillMs: () => 400, decodeMs: () => 100 };
    const { measure, measured } = fakeMeter(equal, [1, 1, 1.8, 1, 1, 1]);
    const { tuning } = await searchTuning(1, measure);
    assert.deepEqual(tuning, defaultTuning(1));
    assert.ok(measured.length > 2 + 4 + 4);
  });

  test("a disturbed run does not decide either where time allows no third", async () => {
    const { tuning } = await searchTuning(2, fakeMeter(scaling, [1, 1, 1, 9], 4).measure);
    assert.deepEqual(tuning.threads, { prefill: 2, decode: 2 });
  });

  test("without time for anything the defaults stand", async () => {
    const { tuning, isComplete, samples } = await searchTuning(4, fakeMeter(scaling, [1], 0).measure);
    assert.deepEqual([tuning, isComplete, samples], [defaultTuning(4), false, []]);
  });

  test("keeps what was measured when time ends: threads, and defaults for the rest", async () => {
    const one = { ...scaling, prefillMs: (threads: number) => 300 * threads, withoutFlash: 0.5 };
    const { tuning, isComplete } = await searchTuning(2, fakeMeter(one, [1], 5).measure);
    assert.equal(tuning.threads.prefill, 1);
    assert.equal(tuning.flashAttention, true);
    assert.equal(isComplete, false);
  });

  test("finds the better by a fifth through a noise of a twentieth, whatever its order", async () => {
    const noise = fc.array(fc.double({ min: 0.95, max: 1.05, noNaN: true }), { minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(noise, fc.integer({ min: 1, max: 8 }), async (factors, cores) => {
        const machine = { ...scaling, withoutFlash: 1.25, smallBatch: 1.25 };
        const { tuning } = await searchTuning(cores, fakeMeter(machine, factors).measure);
        assert.deepEqual([tuning.flashAttention, tuning.batchTokens], [true, 512]);
        assert.equal(tuning.threads.prefill, cores);
        assert.ok(tuning.threads.decode <= cores);
      }),
      { numRuns: 60 },
    );
  });
});
