import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CellLedger } from "./cell-ledger.ts";

test("forks share cells; the last holder frees them", () => {
  const ledger = new CellLedger(100);
  ledger.append(0, 40);
  ledger.fork(0, 1, 30);
  ledger.append(1, 5);
  assert.equal(ledger.used, 45);
  assert.equal(ledger.heldOnlyBy([0]), 10);
  assert.equal(ledger.heldOnlyBy([1]), 5);
  assert.equal(ledger.heldOnlyBy([0, 1]), 45);
  ledger.truncate(0, 0);
  assert.equal(ledger.used, 35);
  assert.equal(ledger.heldOnlyBy([1]), 35);
  ledger.truncate(1, 20);
  assert.equal(ledger.free, 80);
});

test("more cells than are free are refused", () => {
  const ledger = new CellLedger(10);
  ledger.append(0, 8);
  assert.throws(() => ledger.append(1, 3));
  assert.throws(() => ledger.fork(0, 0, 2));
  assert.equal(ledger.free, 2);
});

test("after any history the ledger agrees with sets of cells", () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant("append" as const), sequence: fc.nat(3), count: fc.nat(9) }),
    fc.record({ kind: fc.constant("truncate" as const), sequence: fc.nat(3), count: fc.nat(20) }),
    fc.record({
      kind: fc.constant("fork" as const),
      sequence: fc.nat(3),
      target: fc.nat(3),
      count: fc.nat(20),
    }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const ledger = new CellLedger(60);
      const model = new Map<number, object[]>();
      const cells = (sequence: number): object[] => model.get(sequence) ?? [];
      const used = (): number => new Set([...model.values()].flat()).size;
      for (const step of steps) {
        if (step.kind === "append") {
          if (used() + step.count > 60) continue;
          ledger.append(step.sequence, step.count);
          model.set(step.sequence, [
            ...cells(step.sequence),
            ...Array.from({ length: step.count }, () => ({})),
          ]);
        } else if (step.kind === "truncate") {
          ledger.truncate(step.sequence, step.count);
          model.set(step.sequence, cells(step.sequence).slice(0, step.count));
        } else if (cells(step.target).length === 0) {
          ledger.fork(step.sequence, step.target, step.count);
          model.set(step.target, cells(step.sequence).slice(0, step.count));
        }
        assert.equal(ledger.used, used());
        assert.equal(ledger.length(step.sequence), cells(step.sequence).length);
        const others = new Set([...cells(2), ...cells(3)]);
        const mine = new Set([...cells(0), ...cells(1)]);
        assert.equal(ledger.heldOnlyBy([0, 1]), [...mine].filter((cell) => !others.has(cell)).length);
      }
    }),
  );
});
