import assert from "node:assert/strict";
import { test } from "node:test";
import { WireError } from "@slipstream-stack/protocol";
import fc from "fast-check";
import { defaultLimits } from "../limits.ts";
import { Lanes } from "./lanes.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));
const codeOf = (run: () => unknown): string | null => {
  try {
    run();
    return null;
  } catch (error) {
    return WireError.isInstance(error) ? error.code : "other";
  }
};

test("whatever comes in which lane: order holds inside each, and the active limit over all", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom("", "a", "b", "c", "d"), { maxLength: 30 }),
      fc.integer({ min: 1, max: 4 }),
      fc.infiniteStream(fc.nat({ max: 3 })),
      async (jobs, activeLanes, waits) => {
        const lanes = new Lanes({ ...defaultLimits, activeLanes });
        const running = new Set<string>();
        const done: Record<string, number[]> = {};
        for (const [index, lane] of jobs.entries()) {
          lanes.run(lane, async () => {
            assert.ok(!running.has(lane), "two of one lane at once");
            running.add(lane);
            assert.ok(running.size <= activeLanes);
            for (let wait = waits.next().value as number; wait > 0; wait -= 1) await turn();
            running.delete(lane);
            done[lane] = [...(done[lane] ?? []), index];
          });
        }
        await lanes.idle();
        assert.equal(lanes.active, 0);
        for (const order of Object.values(done))
          assert.deepEqual(
            order,
            order.toSorted((a, b) => a - b),
          );
        assert.equal(Object.values(done).flat().length, jobs.length);
      },
    ),
    { numRuns: 60 },
  );
});

test("lanes run at the same time; one that waits does not hold up the rest", async () => {
  const lanes = new Lanes(defaultLimits);
  const finished: string[] = [];
  const slow = Promise.withResolvers<void>();
  lanes.run("slow", async () => {
    await slow.promise;
    finished.push("slow");
  });
  lanes.run("fast", async () => void finished.push("fast"));
  await turn();
  assert.deepEqual(finished, ["fast"]);
  slow.resolve();
  await lanes.idle();
  assert.deepEqual(finished, ["fast", "slow"]);
});

test("names are checked, and there are only so many of them", () => {
  const lanes = new Lanes(defaultLimits);
  assert.equal(lanes.lane(undefined), "");
  assert.equal(lanes.lane(null), "");
  assert.equal(lanes.lane("A-z_0.9"), "A-z_0.9");
  for (const name of ["", "a b", "ü", "a/b", "x".repeat(257), 7, {}]) {
    assert.equal(
      codeOf(() => lanes.lane(name)),
      "invalid_stream_id",
    );
  }
  for (let index = 1; index < 32; index += 1) lanes.lane(`lane-${index}`);
  assert.equal(
    codeOf(() => lanes.lane("one-more")),
    "websocket_stream_limit_reached",
  );
  assert.equal(lanes.lane("lane-3"), "lane-3", "a name in use stays usable");
  assert.equal(lanes.lane(undefined), "", "the default lane has no name");
});

test("too many waiting requests are refused, and cleared ones never begin", async () => {
  const lanes = new Lanes({ ...defaultLimits, queuedRequests: 2 });
  const release = Promise.withResolvers<void>();
  let begun = 0;
  const job = async () => {
    begun += 1;
    await release.promise;
  };
  lanes.run("", job);
  lanes.run("", job);
  lanes.run("", job);
  assert.equal(
    codeOf(() => lanes.run("", job)),
    "rate_limit_exceeded",
  );
  lanes.clear();
  release.resolve();
  await lanes.idle();
  assert.equal(begun, 1);
});
