import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { AdmissionQueue } from "./admission-queue.ts";

const entry = (name: string, priority = 0) => ({ name, priority });

test("places first, then the line, then no more", () => {
  const queue = new AdmissionQueue({ maxInFlight: 1, maxWaiting: 1 });
  assert.equal(queue.offer(entry("a")), "run");
  assert.equal(queue.offer(entry("b")), "wait");
  assert.equal(queue.offer(entry("c")), "full");
  assert.deepEqual([queue.inFlight, queue.waiting, queue.saturated], [1, 1, true]);
});

test("by priority, first come first served within", () => {
  const queue = new AdmissionQueue<ReturnType<typeof entry>>({ maxInFlight: 1, maxWaiting: 9 });
  queue.offer(entry("running"));
  for (const made of [
    entry("a"),
    entry("b"),
    entry("urgent", 2),
    entry("c"),
    entry("late", -1),
    entry("urgent too", 2),
  ]) {
    queue.offer(made);
  }
  const order = Array.from({ length: 7 }, () => queue.release()?.name ?? null);
  assert.deepEqual(order, ["urgent", "urgent too", "a", "b", "c", "late", null]);
  assert.equal(queue.inFlight, 0);
});

test("who withdraws is never released, and only who waits can withdraw", () => {
  const queue = new AdmissionQueue({ maxInFlight: 1, maxWaiting: 9 });
  const [running, first, second] = [entry("running"), entry("first"), entry("second")];
  for (const made of [running, first, second]) queue.offer(made);
  assert.equal(queue.withdraw(running), false);
  assert.equal(queue.withdraw(first), true);
  assert.equal(queue.withdraw(first), false);
  assert.equal(queue.release(), second);
});

test("limits hold and nobody is lost, whatever happens", () => {
  const action = fc.oneof(fc.integer({ min: -2, max: 2 }), fc.constantFrom("release", "withdraw"));
  fc.assert(
    fc.property(fc.array(action, { maxLength: 80 }), (actions) => {
      const queue = new AdmissionQueue<{ priority: number }>({ maxInFlight: 3, maxWaiting: 4 });
      const waiting: { priority: number }[] = [];
      let inFlight = 0;
      for (const made of actions) {
        if (typeof made === "number") {
          const offered = { priority: made };
          const place = queue.offer(offered);
          if (place === "run") inFlight++;
          if (place === "wait") waiting.push(offered);
          if (place === "full") assert.equal(waiting.length, 4);
        } else if (made === "withdraw") {
          const gone = waiting.pop();
          if (gone !== undefined) assert.ok(queue.withdraw(gone));
        } else if (inFlight > 0) {
          const next = queue.release();
          if (next === null) inFlight--;
          else waiting.splice(waiting.indexOf(next), 1);
        }
        assert.deepEqual([queue.inFlight, queue.waiting], [inFlight, waiting.length]);
        assert.ok(inFlight <= 3 && waiting.length <= 4);
        assert.ok(inFlight === 3 || waiting.length === 0);
      }
    }),
  );
});
