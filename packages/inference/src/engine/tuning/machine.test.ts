import assert from "node:assert/strict";
import { test } from "node:test";
import { currentMachine, processorTimes, usedShare } from "./machine.ts";

test("the share in use is what was not idle", () => {
  const before = { idleMs: 1_000, totalMs: 2_000 };
  assert.equal(usedShare(before, { idleMs: 1_600, totalMs: 2_600 }), 0);
  assert.equal(usedShare(before, { idleMs: 1_300, totalMs: 2_600 }), 0.5);
  assert.equal(usedShare(before, { idleMs: 1_000, totalMs: 2_600 }), 1);
  assert.equal(usedShare(before, before), 0);
});

test("this machine has cores, memory, and times that only grow", () => {
  const machine = currentMachine();
  assert.ok(machine.cores >= 1 && machine.memoryBytes > 0);
  const first = processorTimes();
  const second = processorTimes();
  assert.ok(first.totalMs >= first.idleMs && second.totalMs >= first.totalMs);
});
