import assert from "node:assert/strict";
import { test } from "node:test";
import { RowBatch } from "./row-batch.ts";

test("rows are numbered, positions of a sequence follow each other", () => {
  const batch = new RowBatch(4, 100, 2);
  assert.equal(batch.add(0, 5, 99, false), 0);
  assert.equal(batch.add(1, 0, 1, true), 1);
  assert.equal(batch.add(0, 6, 2, true), 2);
  assert.equal(batch.structure().n_tokens, 3);
  batch.clear();
  assert.equal(batch.add(0, 9, 1, true), 0);
});

const bad: Record<string, (batch: RowBatch) => void> = {
  "a token below the vocabulary": (batch) => batch.add(0, 0, -1, false),
  "a token beyond the vocabulary": (batch) => batch.add(0, 0, 100, false),
  "half a token": (batch) => batch.add(0, 0, 0.5, false),
  "a sequence too many": (batch) => batch.add(2, 0, 1, false),
  "a position below zero": (batch) => batch.add(0, -1, 1, false),
  "a position twice": (batch) => {
    batch.add(0, 3, 1, false);
    batch.add(0, 3, 1, false);
  },
  "a gap": (batch) => {
    batch.add(0, 3, 1, false);
    batch.add(0, 5, 1, false);
  },
  "more rows than fit": (batch) => {
    for (let row = 0; row < 5; row += 1) batch.add(0, row, 1, false);
  },
  "more outputs than fit": (batch) => {
    for (let row = 0; row < 3; row += 1) batch.add(0, row, 1, true);
  },
};

for (const [name, act] of Object.entries(bad)) {
  test(`${name} is refused`, () => assert.throws(() => act(new RowBatch(4, 100, 2))));
}
