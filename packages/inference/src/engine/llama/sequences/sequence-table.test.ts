import assert from "node:assert/strict";
import { test } from "node:test";
import { TestEvaluator } from "../step-loop/test-evaluator.ts";
import { matchPrefix } from "./match-prefix.ts";
import { isResident, type Sequence } from "./sequence.ts";
import { SequenceTable } from "./sequence-table.ts";

const root = "0".repeat(32);
const range = (count: number): Uint32Array => Uint32Array.from({ length: count }, (_, index) => index % 90);

class UncuttableEvaluator extends TestEvaluator {
  override truncate(sequence: number): boolean {
    this.remove(sequence);
    return false;
  }
}

function open(table: SequenceTable, evaluator: TestEvaluator, id: string, prompt: Uint32Array): Sequence {
  const match = matchPrefix(table.all, root, prompt, 1);
  const { sequence } = table.open({ id, root, prompt }, match, Number.MAX_SAFE_INTEGER);
  assert.ok(table.restore(sequence) && isResident(sequence));
  evaluator.batch.clear();
  for (let position = sequence.evaluated; position < prompt.length; position += 1) {
    evaluator.batch.add(sequence.slot, position, sequence.tokens.at(position), false);
  }
  const count = evaluator.batch.length;
  assert.equal(evaluator.decode(), "done");
  table.evaluated(sequence, count);
  return sequence;
}

test("a cache that cannot be cut is emptied, and told so", () => {
  const evaluator = new UncuttableEvaluator(400, 400, 4);
  const table = new SequenceTable(evaluator, { parkedBytes: 0, hotIdleTokens: 0 }, () => 0);
  const sequence = open(table, evaluator, "a", range(200));
  assert.equal(table.blocks.take().flatMap(({ blocks }) => blocks).length, 3);
  assert.equal(table.release(sequence, 150), null);
  assert.equal(table.cells.used, 0);
  assert.equal(evaluator.usedCells, 0);
  const gone = table.blocks.take();
  assert.ok(gone.every(({ type }) => type === "removed"));
  assert.equal(gone.flatMap(({ blocks }) => blocks).length, 3);
});

test("parked state stays within its bytes: the oldest goes first", () => {
  const evaluator = new TestEvaluator(1_000, 400, 4);
  const table = new SequenceTable(evaluator, { parkedBytes: 250, hotIdleTokens: 0 }, () => 0);
  const prompts = [1, 2, 3].map((first) => Uint32Array.of(first, ...range(99)));
  for (const [index, prompt] of prompts.entries()) {
    const sequence = open(table, evaluator, `r${index}`, prompt);
    table.release(sequence, 100);
    table.park(sequence);
  }
  assert.equal(table.parkedBytes, 200);
  assert.equal(matchPrefix(table.all, root, prompts[0]!, 1), null);
  assert.equal(matchPrefix(table.all, root, prompts[2]!, 1)?.length, 99);
});

test("a sequence larger than the limit is dropped, not parked", () => {
  const evaluator = new TestEvaluator(1_000, 400, 4);
  const table = new SequenceTable(evaluator, { parkedBytes: 50, hotIdleTokens: 0 }, () => 0);
  const sequence = open(table, evaluator, "a", range(100));
  table.release(sequence, 100);
  table.park(sequence);
  assert.deepEqual([...table.all], []);
  assert.equal(table.cells.used, 0);
});

test("idle forks of one stem are parked together when they hold too much", () => {
  const evaluator = new TestEvaluator(1_000, 400, 8);
  const table = new SequenceTable(evaluator, { parkedBytes: 10_000, hotIdleTokens: 100 }, () => 0);
  for (const last of [1, 2, 3]) {
    const sequence = open(table, evaluator, `r${last}`, Uint32Array.of(...range(300), last));
    table.release(sequence, 301);
  }
  assert.equal(table.cells.used, 303);
  assert.equal(table.reclaimable(), 303);
  table.coolDown();
  assert.ok(table.reclaimable() <= 100);
  assert.equal(evaluator.usedCells, table.cells.used);
});

test("a fork of a parked sequence leaves it parked", () => {
  const evaluator = new TestEvaluator(1_000, 400, 8);
  const table = new SequenceTable(evaluator, { parkedBytes: 10_000, hotIdleTokens: 0 }, () => 0);
  const first = open(table, evaluator, "a", range(200));
  table.release(first, 200);
  table.park(first);
  const prompt = Uint32Array.of(...range(120), 95);
  const second = open(table, evaluator, "b", prompt);
  assert.notEqual(second, first);
  assert.equal(first.state?.length, 200);
  assert.equal(table.cells.used, 121);
});

test("what is retained outlives what was used later, until its time is over", () => {
  const evaluator = new TestEvaluator(1_000, 400, 4);
  let now = 0;
  const table = new SequenceTable(evaluator, { parkedBytes: 10_000, hotIdleTokens: 0 }, () => now);
  const [kept, other] = [1, 2].map((first) => {
    const sequence = open(table, evaluator, `r${first}`, Uint32Array.of(first, ...range(50)));
    table.release(sequence, 51);
    return sequence;
  });
  kept!.retain = { priority: 5, until: 10 };
  table.parkIdle(null);
  assert.deepEqual([kept!.slot === null, other!.slot === null], [false, true]);
  const third = open(table, evaluator, "r3", Uint32Array.of(3, ...range(50)));
  table.release(third, 51);
  now = 10;
  table.parkIdle(null);
  assert.deepEqual([kept!.slot === null, third.slot === null], [true, false]);
});
