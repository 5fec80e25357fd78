import assert from "node:assert/strict";
import { test } from "node:test";
import { TestLoop, testJob } from "./test-loop.ts";

const prompt = Array.from({ length: 100 }, (_, index) => (index * 7) % 90);

function ended(gated: boolean): TestLoop {
  const loop = new TestLoop({ leaseMs: 10 });
  loop.loop.submit(testJob("a", prompt, { gated }));
  loop.run();
  return loop;
}

test("settling shortens what is held", () => {
  const loop = ended(false);
  loop.loop.settle("a", { hash: "", length: 103 });
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
  loop.loop.settle("a", { hash: "", length: 101 });
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
