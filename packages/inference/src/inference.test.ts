import assert from "node:assert/strict";
import { test } from "node:test";
import {
  collect,
  collectAndKeep,
  decodeProgram,
  engineRequest,
  FakeClock,
  settleMicrotasks,
  simulatedModel,
  tokenRope,
} from "@slipstream-stack/testkit";
import type { SimulatedModelOptions } from "./engine/simulated/simulated-model.ts";
import { createInference, type InferenceOptions } from "./inference.ts";
import type { EngineRequest } from "./port/token-engine.ts";

const slow = { prefillMsPerToken: 1, decodeMsPerStep: 1, batchFactor: 0 };

function prompt(length: number, first = 10) {
  return tokenRope(
    "root",
    Uint32Array.from({ length }, (_, index) => first + (index % 1000)),
  );
}

function request(length: number, changes: Partial<EngineRequest> = {}, first?: number): EngineRequest {
  return engineRequest(prompt(length, first), { decode: decodeProgram({ maxTokens: 2 }), ...changes });
}

function door(
  replicas = 1,
  options: Partial<InferenceOptions> = {},
  model: Partial<SimulatedModelOptions> = {},
) {
  const clock = new FakeClock();
  const models = Array.from({ length: replicas }, () => simulatedModel({ clock, ...model }));
  return { clock, models, inference: createInference({ models, clock, ...options }) };
}

test("a request ends through the door, and its ticket says where it went and why", async () => {
  const { inference } = door();
  await using ticket = inference.submit("simulated", request(100));
  assert.deepEqual(ticket.decision, { worker: "simulated#0", reason: "only_worker", predictedCached: 0 });
  const { end } = await collectAndKeep(ticket);
  assert.equal(end?.reason, "length");
  assert.equal(inference.load("simulated")?.running, 0);
});

test("models are listed once for each id, and asked for by id", () => {
  const clock = new FakeClock();
  const models = ["a", "b", "a"].map((id) => simulatedModel({ id, clock }));
  const inference = createInference({ models, clock });
  assert.deepEqual(inference.models(), models.slice(0, 2));
  assert.equal(inference.model("b"), models[1]);
  assert.equal(inference.model("c"), undefined);
  assert.equal(inference.load("c"), undefined);
  assert.equal(inference.load("a")?.kvTokensCapacity, 2 * (inference.load("b")?.kvTokensCapacity ?? 0));
});

test("an unknown model and a closed door are error events, never exceptions", async () => {
  const { inference } = door();
  const unknown = await collect(inference.submit("nobody", request(10)));
  assert.deepEqual([unknown.error?.code, unknown.error?.retryable], ["invalid_request", false]);
  await inference.close(0);
  const closed = await collect(inference.submit("simulated", request(10)));
  assert.deepEqual([closed.error?.code, closed.error?.retryable], ["engine_restarting", true]);
});

test("a session stays with its replica; another that shares its head follows it; a stranger goes elsewhere", async () => {
  const { inference } = door(2, {}, { cost: slow });
  const { inference: instant } = door(2);
  const run = async (made: EngineRequest) => {
    await using ticket = instant.submit("simulated", made);
    await collectAndKeep(ticket);
    await settleMicrotasks();
    return ticket.decision;
  };
  const first = await run(request(200, { session: "one" }));
  assert.equal(first?.reason, "least_waiting");
  const again = await run(request(400, { session: "one" }));
  assert.deepEqual(again, { worker: first?.worker, reason: "session_home", predictedCached: 192 });
  const sharing = await run(request(300, { session: "two" }));
  assert.deepEqual(sharing, { worker: first?.worker, reason: "most_held", predictedCached: 256 });
  const busy = inference.submit("simulated", request(900, { session: "three" }));
  await settleMicrotasks();
  const stranger = inference.submit("simulated", request(900, { session: "four" }, 500));
  assert.notEqual(stranger.decision?.worker, busy.decision?.worker);
  assert.equal(stranger.decision?.reason, "least_waiting");
});

test("the prediction agrees with what the engine then reports, to the block", async () => {
  const { inference } = door();
  for (const length of [100, 300, 301, 1000]) {
    await using ticket = inference.submit("simulated", request(length, { session: "one" }));
    const { admitted } = await collectAndKeep(ticket);
    const cached = admitted?.cached.hot ?? 0;
    assert.ok(cached - (ticket.decision?.predictedCached ?? 0) < 64);
    await settleMicrotasks();
  }
});

test("beyond the places requests wait by priority; beyond the line they are turned away at once", async () => {
  const { clock, inference } = door(1, { maxInFlight: 1, maxWaiting: 2 }, { cost: slow });
  const order: string[] = [];
  const submit = async (id: string, priority: number, first: number) => {
    await using ticket = inference.submit("simulated", request(50, { id, priority }, first));
    const outcome = await collect(ticket);
    if (outcome.end !== null) order.push(id);
    return outcome;
  };
  const running = submit("running", 0, 100);
  const usual = submit("usual", 0, 200);
  const urgent = submit("urgent", 3, 300);
  assert.equal(inference.load("simulated")?.waiting, 3);
  const refused = await submit("too many", 9, 400);
  assert.deepEqual([refused.error?.code, refused.error?.retryable], ["queue_full", true]);
  await clock.advance(1000);
  await Promise.all([running, usual, urgent]);
  assert.deepEqual(order, ["running", "urgent", "usual"]);
  assert.equal((await usual).admitted?.queueMs, 51 * 2);
  assert.equal((await usual).end?.ms.queue, 51 * 2);
});

/** Every way a ticket may go, with the request in the engine or in line before it. */
const paths: readonly [
  string,
  (ticket: ReturnType<ReturnType<typeof door>["inference"]["submit"]>) => Promise<void>,
][] = [
  ["end", async (ticket) => void (await collect(ticket))],
  [
    "cancel",
    async (ticket) => {
      ticket.cancel();
      await collect(ticket);
    },
  ],
  ["disposal unread", async (ticket) => await ticket[Symbol.asyncDispose]()],
  [
    "disposal after reading some",
    async (ticket) => {
      for await (const event of ticket.events) if (event.type === "tokens") break;
      await ticket[Symbol.asyncDispose]();
    },
  ],
  [
    "settle before the end",
    async (ticket) => {
      ticket.settle(null);
      await collect(ticket);
    },
  ],
];

for (const [name, leave] of paths) {
  for (const place of ["running", "in line"]) {
    test(`a place is given back exactly once: ${name}, ${place}`, async () => {
      const { inference, models } = door(1, { maxInFlight: 1, maxWaiting: 5 });
      const before = place === "in line" ? inference.submit("simulated", request(30)) : null;
      const ticket = inference.submit("simulated", request(40, {}, 300));
      const left = leave(ticket);
      if (before !== null) {
        await collectAndKeep(before);
        await before[Symbol.asyncDispose]();
      }
      await left;
      await ticket[Symbol.asyncDispose]();
      const [first, second] = [
        inference.submit("simulated", request(20)),
        inference.submit("simulated", request(20)),
      ];
      const load = models[0]?.engine.load();
      assert.equal((load?.running ?? 0) + (load?.waiting ?? 0), 1, "one place and one only");
      for (const next of [first, second]) assert.equal((await collect(next)).end?.reason, "length");
      assert.equal(inference.load("simulated")?.waiting, 0);
      assert.equal(inference.load("simulated")?.uncachedTokensWaiting, 0);
    });
  }
}

test("an error of the engine gives the place back too", async () => {
  const { inference, models } = door(1, { maxInFlight: 1 });
  const invalid = await collect(inference.submit("simulated", request(0)));
  assert.equal(invalid.error?.code, "invalid_request");
  const running = inference.submit("simulated", request(100));
  models[0]?.engine.crash();
  assert.equal((await collect(running)).error?.code, "engine_restarting");
  assert.equal((await collect(inference.submit("simulated", request(10)))).end?.reason, "length");
});

test("a deadline counts from submission, in line and inside", async () => {
  const { clock, inference } = door(1, { maxInFlight: 1 }, { cost: slow });
  const submit = (deadlineMs: number | null, first: number) => {
    return collect(
      inference.submit("simulated", request(100, deadlineMs === null ? {} : { deadlineMs }, first)),
    );
  };
  const running = submit(null, 100);
  const inLine = submit(50, 300);
  const later = submit(150, 500);
  await clock.advance(1000);
  assert.equal((await running).end?.reason, "length");
  assert.equal((await inLine).error?.code, "cancelled");
  assert.equal((await later).end?.reason, "cancelled");
  assert.equal(clock.sleeping, 0);
});

test("a restart is forgotten by the index: nothing is predicted that is gone", async () => {
  const { inference, models } = door();
  await collectAndKeep(inference.submit("simulated", request(300, { session: "one" })));
  await settleMicrotasks();
  models[0]?.engine.crash();
  await settleMicrotasks();
  const after = inference.submit("simulated", request(300, { session: "one" }));
  assert.equal(after.decision?.predictedCached, 0);
  assert.equal((await collect(after)).admitted?.missCause, "engine_restarted");
});

test("hints reach the engines: what is dead goes first", async () => {
  const { clock, inference } = door(1, {}, { contextTokens: 256, capacityTokens: 256 });
  const run = async (first: number) => {
    await clock.advance(1);
    return await collectAndKeep(
      inference.submit("simulated", request(100, { decode: decodeProgram({ maxTokens: 0 }) }, first)),
    );
  };
  await run(100);
  await run(300);
  inference.hint("simulated", "default", prompt(100, 300).tip, { kind: "dead" });
  await run(500);
  assert.equal((await run(100)).admitted?.cached.hot, 99);
});

test("closing ends what waits in line, lets what runs finish, and turns the rest away", async () => {
  const { clock, inference } = door(1, { maxInFlight: 1 }, { cost: slow });
  const running = collect(inference.submit("simulated", request(100)));
  const inLine = collect(inference.submit("simulated", request(100, {}, 300)));
  await settleMicrotasks();
  const closing = inference.close(10_000);
  assert.equal((await inLine).error?.code, "engine_restarting");
  await clock.advance(10_000);
  await closing;
  assert.equal((await running).end?.reason, "length");
});
