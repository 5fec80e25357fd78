import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  deterministicStart,
  initialPlanState,
  type PlanEntry,
  type PlanOptions,
  type PlanState,
  planStep,
} from "./plan-step.ts";

const options: PlanOptions = { batchSize: 512, mixedChunk: 128, decodeStepsBetween: 3, deterministic: false };
const decoder = (order: number): PlanEntry => ({
  id: `d${order}`,
  pending: 1,
  decoding: true,
  position: 10,
  priority: 0,
  order,
});
const prefill = (order: number, pending: number, priority = 0): PlanEntry => ({
  id: `p${order}`,
  pending,
  decoding: false,
  position: 0,
  priority,
  order,
});

const series = (entries: readonly PlanEntry[], steps: number) => {
  let state: PlanState = initialPlanState;
  return Array.from({ length: steps }, () => {
    const plan = planStep(entries, state, options);
    state = plan.state;
    return plan.rows.map(({ id, count }) => `${id}:${count}`).join(" ");
  });
};

test("nothing to do: no rows", () => {
  assert.deepEqual(planStep([], initialPlanState, options).rows, []);
  assert.deepEqual(planStep([], initialPlanState, { ...options, deterministic: true }).rows, []);
});

test("prefill alone takes the whole batch, a second one what is left", () => {
  assert.deepEqual(series([prefill(0, 4_000)], 1), ["p0:512"]);
  assert.deepEqual(series([prefill(0, 300), prefill(1, 4_000)], 1), ["p0:300 p1:212"]);
});

test("decoders get three steps of their own between chunks of 128", () => {
  assert.deepEqual(series([decoder(0), prefill(1, 4_000)], 5), [
    "d0:1",
    "d0:1",
    "d0:1",
    "d0:1 p1:128",
    "d0:1",
  ]);
});

test("short prefills pass long ones, and long ones never starve", () => {
  const steps = series([prefill(0, 4_000), prefill(1, 600)], 4);
  assert.deepEqual(steps, ["p1:512", "p0:512", "p1:512", "p0:512"]);
});

test("a higher priority goes first", () => {
  assert.deepEqual(series([prefill(0, 600), prefill(1, 600, 1)], 2), ["p1:512", "p1:512"]);
});

test("a batch never holds more rows than it may, nor a request more than it has", () => {
  const entry = fc.record({ pending: fc.integer({ min: 1, max: 2_000 }), decoding: fc.boolean() });
  fc.assert(
    fc.property(
      fc.array(entry, { minLength: 1, maxLength: 40 }),
      fc.boolean(),
      fc.nat(9),
      (all, alone, steps) => {
        const entries = all.map(
          ({ pending, decoding }, order): PlanEntry => (decoding ? decoder(order) : prefill(order, pending)),
        );
        const state = { decodeSteps: steps, chunks: steps };
        const { rows } = planStep(entries, state, { ...options, batchSize: 64, deterministic: alone });
        assert.ok(rows.length > 0);
        assert.equal(new Set(rows.map(({ id }) => id)).size, rows.length);
        assert.ok(rows.reduce((sum, { count }) => sum + count, 0) <= 64);
        if (alone) assert.equal(rows.length, 1);
        for (const { id, count } of rows) {
          const pending = entries.find((candidate) => candidate.id === id)?.pending ?? 0;
          assert.ok(count >= 1 && count <= pending);
        }
      },
    ),
  );
});

test("deterministic: the oldest alone, in chunks that end at fixed positions", () => {
  const alone = { ...options, deterministic: true };
  const entries = [decoder(1), { ...prefill(0, 1_000), position: 100 }];
  assert.deepEqual(planStep(entries, initialPlanState, alone).rows, [{ id: "p0", count: 412 }]);
});

test("deterministic: a reused prefix never leaves a first chunk of one row", () => {
  assert.equal(deterministicStart(511, 2_000, 512), 510);
  assert.equal(deterministicStart(99, 100, 512), 98);
  assert.equal(deterministicStart(512, 513, 512), 512, "a prefill from the start has one row here, too");
  assert.equal(deterministicStart(90, 100, 512), 90);
});
