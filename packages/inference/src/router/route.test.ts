import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { route, type WorkerView } from "./route.ts";

function worker(id: string, changes: Partial<WorkerView> = {}): WorkerView {
  return { id, held: 0, uncachedWaiting: 0, saturated: false, ...changes };
}

test("a single worker gets everything, saturated or not", () => {
  const decision = route([worker("a", { held: 7, saturated: true })], "gone");
  assert.deepEqual(decision, { worker: "a", reason: "only_worker", predictedCached: 7 });
});

test("a session stays at home although another holds more and has less to do", () => {
  const workers = [worker("a", { held: 900 }), worker("home", { held: 100, uncachedWaiting: 5000 })];
  assert.deepEqual(route(workers, "home"), { worker: "home", reason: "session_home", predictedCached: 100 });
});

test("a saturated home is left for the worker that holds most", () => {
  const workers = [
    worker("home", { held: 900, saturated: true }),
    worker("b", { held: 10 }),
    worker("c", { held: 20 }),
  ];
  assert.deepEqual(route(workers, "home"), { worker: "c", reason: "most_held", predictedCached: 20 });
});

test("a new session goes where most of its prompt is held, among equals where least waits", () => {
  const workers = [
    worker("a", { held: 64, uncachedWaiting: 50 }),
    worker("b", { held: 64, uncachedWaiting: 40 }),
    worker("c"),
  ];
  assert.equal(route(workers, null).worker, "b");
});

test("what nobody holds goes where the fewest uncached tokens wait", () => {
  const workers = [
    worker("a", { uncachedWaiting: 50 }),
    worker("b", { uncachedWaiting: 10 }),
    worker("c", { uncachedWaiting: 30 }),
  ];
  assert.deepEqual(route(workers, null), { worker: "b", reason: "least_waiting", predictedCached: 0 });
});

test("when all are saturated the same rules hold among all, home first", () => {
  const workers = [worker("a", { held: 64, saturated: true }), worker("home", { saturated: true })];
  assert.equal(route(workers, "home").reason, "session_home");
  assert.equal(route(workers, null).worker, "a");
});

test("no worker at all is an error", () => {
  assert.throws(() => route([], null), RangeError);
});

test("never a saturated worker while another is free, and always the same answer to the same question", () => {
  const view = fc.record({ held: fc.nat(3), uncachedWaiting: fc.nat(3), saturated: fc.boolean() });
  fc.assert(
    fc.property(fc.array(view, { minLength: 1, maxLength: 6 }), fc.option(fc.nat(6)), (views, home) => {
      const workers = views.map((made, index) => ({ ...made, id: `w${index}` }));
      const homeId = home === null ? null : `w${home}`;
      const decision = route(workers, homeId);
      const chosen = workers.find(({ id }) => id === decision.worker);
      assert.equal(decision.predictedCached, chosen?.held);
      if (workers.some(({ saturated }) => !saturated)) assert.equal(chosen?.saturated, false);
      assert.deepEqual(route(workers, homeId), decision);
    }),
  );
});
