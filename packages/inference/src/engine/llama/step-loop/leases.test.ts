import assert from "node:assert/strict";
import { test } from "node:test";
import { TokenLog } from "../sequences/token-log.ts";
import { TestLoop, testJob } from "./test-loop.ts";

const prompt = Array.from({ length: 100 }, (_, index) => (index * 7) % 90);

const prefix = (loop: TestLoop, length: number) => {
  const ids = Uint32Array.from([...prompt, ...loop.tokens("a")].slice(0, length));
  return new TokenLog("0".repeat(32), ids).ref(length);
};

function ended(gated: boolean): TestLoop {
  const loop = new TestLoop({ leaseMs: 10 });
  loop.loop.submit(testJob("a", prompt, { gated }));
  loop.run();
  return loop;
}

test("settling shortens what is held", () => {
  const loop = ended(false);
  loop.loop.settle("a", prefix(loop, 103));
  assert.equal(loop.loop.table.cells.used, 103);
});

test("settling null frees the output, the prompt stays", () => {
  const loop = ended(false);
  loop.loop.settle("a", null);
  assert.equal(loop.loop.table.cells.used, 100);
});

test("a late settlement does not touch what another request has made of it since", () => {
  const loop = ended(false);
  const next = [...prompt, ...loop.tokens("a"), 1, 2, 3];
  loop.loop.submit(testJob("b", next));
  loop.run();
  const { used } = loop.loop.table.cells;
  loop.loop.settle("a", prefix(loop, 101));
  loop.loop.settle("a", null);
  assert.equal(loop.loop.table.cells.used, used);
});

test("a lease that ran out changes nothing for an ungated request", () => {
  const loop = ended(false);
  const { used } = loop.loop.table.cells;
  loop.now = 11;
  loop.loop.step();
  assert.equal(loop.loop.table.cells.used, used);
  loop.loop.settle("a", null);
  assert.equal(loop.loop.table.cells.used, used, "too late");
});

test("an accepted gated output is shared from then on", () => {
  const loop = ended(true);
  const next = [...prompt, ...loop.tokens("a").slice(0, 7), 5];
  loop.loop.settle("a", loop.end("a")?.held ?? null);
  loop.loop.submit(testJob("b", next));
  loop.run();
  assert.deepEqual(loop.cached("b"), { hot: 107, ram: 0 });
});

test("a settlement that names something else counts as a refusal", () => {
  const loop = ended(false);
  loop.loop.settle("a", { hash: "f".repeat(32), length: 103 });
  assert.equal(loop.loop.table.cells.used, 100);
});

test("only the first settlement counts, also one that was said before the end", () => {
  const loop = new TestLoop();
  loop.loop.submit(testJob("a", prompt));
  loop.loop.settle("a", null);
  loop.loop.settle("a", { hash: "f".repeat(32), length: 103 });
  loop.run();
  assert.equal(loop.loop.table.cells.used, 100);
});

test("a client that leaves gives up its lease: gated output goes, other output stays", () => {
  for (const gated of [true, false]) {
    const loop = ended(gated);
    loop.loop.release("a");
    assert.equal(loop.loop.table.cells.used, gated ? 100 : 107);
    loop.loop.settle("a", null);
    assert.equal(loop.loop.table.cells.used, gated ? 100 : 107);
  }
});

test("a client that leaves while its request runs cancels it", () => {
  const loop = new TestLoop();
  loop.loop.submit(testJob("a", prompt, { gated: true }));
  for (let step = 0; step < 4; step += 1) loop.loop.step();
  loop.loop.release("a");
  loop.run();
  assert.equal(loop.end("a")?.reason, "cancelled");
  assert.equal(loop.loop.table.cells.used, 100);
});
