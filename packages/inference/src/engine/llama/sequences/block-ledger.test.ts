import assert from "node:assert/strict";
import { test } from "node:test";
import { BlockLedger } from "./block-ledger.ts";

test("the first holder stores a block, the last one removes it", () => {
  const ledger = new BlockLedger();
  ledger.store("hot", "root", ["a", "b"]);
  assert.deepEqual(ledger.take(), [{ type: "stored", tier: "hot", parent: "root", blocks: ["a", "b"] }]);
  ledger.store("hot", "root", ["a", "b", "c"]);
  assert.deepEqual(ledger.take(), [{ type: "stored", tier: "hot", parent: "b", blocks: ["c"] }]);
  ledger.remove("hot", ["a", "b"]);
  assert.deepEqual(ledger.take(), []);
  ledger.remove("hot", ["a", "b", "c"]);
  assert.deepEqual(ledger.take(), [{ type: "removed", tier: "hot", blocks: ["a", "b", "c"] }]);
});

test("tiers are counted apart", () => {
  const ledger = new BlockLedger();
  ledger.store("hot", "root", ["a"]);
  ledger.store("ram", "root", ["a"]);
  ledger.remove("hot", ["a"]);
  assert.deepEqual(
    ledger.take().map(({ type, tier }) => `${type} ${tier}`),
    ["stored hot", "stored ram", "removed hot"],
  );
});

test("blocks between held ones are stored under their own parent", () => {
  const ledger = new BlockLedger();
  ledger.store("hot", "a", ["b"]);
  ledger.take();
  ledger.store("hot", "root", ["a", "b", "c"]);
  assert.deepEqual(ledger.take(), [
    { type: "stored", tier: "hot", parent: "root", blocks: ["a"] },
    { type: "stored", tier: "hot", parent: "b", blocks: ["c"] },
  ]);
});
