import assert from "node:assert/strict";
import { test } from "node:test";
import {
  collect,
  decodeProgram,
  engineRequest,
  FakeClock,
  settleMicrotasks,
  simulatedModel,
  type TicketOutcome,
  tokenRope,
} from "@slipstream-stack/testkit";
import type { EngineRequest } from "../../port/token-engine.ts";
import type { CostModel } from "./cost-model.ts";
import type { SimulatedEngine } from "./simulated-engine.ts";

/** One millisecond for each token and each step, so that every moment of a request can be met. */
const slow: CostModel = { prefillMsPerToken: 1, decodeMsPerStep: 10, batchFactor: 0 };

function prompt(length: number, first = 10, root = "root") {
  return tokenRope(
    root,
    Uint32Array.from({ length }, (_, index) => first + index),
  );
}

function slowEngine(options: Parameters<typeof simulatedModel>[0] = {}) {
  const clock = new FakeClock();
  const { engine } = simulatedModel({ clock, cost: slow, chunkTokens: 64, ...options });
  return { clock, engine };
}

function shape({ events }: TicketOutcome): string {
  return events.map(({ type }) => type).join(" ");
}

/** Exactly one end or error, and it is the last event. */
function assertWellFormed({ events }: TicketOutcome): void {
  const ends = events.filter(({ type }) => type === "end" || type === "error");
  assert.equal(ends.length, 1);
  assert.equal(events.at(-1), ends[0]);
}

async function cachedOf(engine: SimulatedEngine, clock: FakeClock, request: EngineRequest): Promise<number> {
  const ticket = engine.submit({ ...request, useCache: true });
  const outcome = collect(ticket);
  await clock.advance(10_000);
  const { admitted } = await outcome;
  await ticket[Symbol.asyncDispose]();
  return admitted?.cached.hot ?? -1;
}

const prefillOnly = decodeProgram({ maxTokens: 0 });

test("end: admitted, prefill, one tokens event per step, end", async () => {
  const { clock, engine } = slowEngine();
  const ticket = engine.submit(engineRequest(prompt(100), { decode: decodeProgram({ maxTokens: 3 }) }));
  const outcome = collect(ticket);
  await clock.advance(1000);
  const done = await outcome;
  assertWellFormed(done);
  assert.equal(shape(done), "admitted prefill prefill tokens tokens tokens end");
  assert.deepEqual(done.end?.ms, { queue: 0, prefill: 100, decode: 20 });
  assert.equal(done.end?.evaluated, 102);
  assert.equal(done.end?.held?.length, 102);
});

test("error: an impossible request is refused at once and nothing is evaluated", async () => {
  const { engine } = slowEngine({ contextTokens: 128 });
  const impossible = [
    engineRequest(prompt(0)),
    engineRequest(prompt(129)),
    engineRequest(prompt(10), { decode: decodeProgram({ maxTokens: -1 }) }),
    engineRequest(prompt(10), { decode: decodeProgram({ stopTokens: [999_999] }) }),
    engineRequest(prompt(10), { decode: decodeProgram({ forced: Uint32Array.of(999_999) }) }),
  ];
  for (const request of impossible) {
    const done = await collect(engine.submit(request));
    assert.equal(shape(done), "error");
    assert.equal(done.error?.code, "invalid_request");
    assert.equal(done.error?.retryable, false);
  }
  assert.equal(engine.load().tokensPrefilled, 0);
});

test("error: a prompt that is not what its tip says is found out, and nothing of it stays", async () => {
  const { clock, engine } = slowEngine();
  const lying = { ...prompt(100), tip: { hash: "0".repeat(32), length: 100 } };
  const outcome = collect(engine.submit(engineRequest(lying)));
  await clock.advance(1000);
  const done = await outcome;
  assert.equal(done.error?.code, "invalid_request");
  assert.equal(engine.load().kvTokensUsed, 0);
});

test("cancel while queued: the error `cancelled`, nothing evaluated, the others go on", async () => {
  const { clock, engine } = slowEngine({ maxRunning: 1 });
  const first = engine.submit(engineRequest(prompt(100)));
  const second = engine.submit(engineRequest(prompt(100, 50)));
  const outcomes = Promise.all([collect(first), collect(second)]);
  await clock.advance(20);
  second.cancel();
  await clock.advance(2000);
  const [one, two] = await outcomes;
  assert.equal(two?.error?.code, "cancelled");
  assert.equal(two?.error?.evaluated, 0);
  assert.equal(one?.end?.reason, "length");
});

test("cancel before the first step: the ticket ends and leaves nothing", async () => {
  const { engine } = slowEngine();
  const ticket = engine.submit(engineRequest(prompt(100)));
  ticket.cancel();
  const done = await collect(ticket);
  assertWellFormed(done);
  assert.equal(done.error?.code, "cancelled");
  assert.equal(engine.load().kvTokensUsed, 0);
});

test("cancel while prefilling: ends at the step's end and holds what was evaluated", async () => {
  const { clock, engine } = slowEngine();
  const ticket = engine.submit(engineRequest(prompt(300)));
  const outcome = collect(ticket);
  await clock.advance(100);
  ticket.cancel();
  await clock.advance(1000);
  const done = await outcome;
  assert.equal(done.end?.reason, "cancelled");
  assert.equal(done.end?.keep, 0);
  assert.equal(done.end?.held?.length, 128);
  assert.equal(done.end?.evaluated, 128);
  await ticket[Symbol.asyncDispose]();
  assert.equal(await cachedOf(engine, clock, engineRequest(prompt(300))), 128);
});

test("cancel while decoding: what was sampled so far is the output", async () => {
  const { clock, engine } = slowEngine();
  const ticket = engine.submit(engineRequest(prompt(64), { decode: decodeProgram({ maxTokens: 50 }) }));
  const outcome = collect(ticket);
  await clock.advance(64 + 35);
  ticket.cancel();
  await clock.advance(1000);
  const done = await outcome;
  assert.equal(done.end?.reason, "cancelled");
  assert.equal(done.end?.keep, 4);
  assert.equal(done.output.length, 4);
  assert.equal(done.end?.held?.length, 64 + 4);
});

test("deadline: a running request ends cancelled, a queued one with the error", async () => {
  const { clock, engine } = slowEngine({ maxRunning: 1 });
  const decode = decodeProgram({ maxTokens: 500 });
  const running = collect(engine.submit(engineRequest(prompt(64), { decode, deadlineMs: 200 })));
  const queued = collect(engine.submit(engineRequest(prompt(64, 90), { decode, deadlineMs: 100 })));
  await clock.advance(1000);
  assert.equal((await running).end?.reason, "cancelled");
  assert.equal((await queued).error?.code, "cancelled");
});

test("disposal while running cancels, and keeps the prefix evaluated so far", async () => {
  const { clock, engine } = slowEngine();
  const ticket = engine.submit(engineRequest(prompt(300), { gated: true }));
  await clock.advance(100);
  await ticket[Symbol.asyncDispose]();
  await clock.advance(1000);
  assert.equal((await collect(ticket)).end?.reason, "cancelled");
  assert.equal(engine.load().running, 0);
  assert.equal(await cachedOf(engine, clock, engineRequest(prompt(300))), 128);
});

test("disposal of a request that outlives its client lets the prefill go on, but not the decoding", async () => {
  const { clock, engine } = slowEngine();
  const ticket = engine.submit(engineRequest(prompt(300), { outliveClient: true }));
  await clock.advance(100);
  await ticket[Symbol.asyncDispose]();
  await clock.advance(1000);
  const done = await collect(ticket);
  assert.equal(done.sampled.length, 0);
  assert.equal(done.end?.held?.length, 300);
  assert.equal(await cachedOf(engine, clock, engineRequest(prompt(300))), 299);
});

test("settle null frees the output, and the prompt stays", async () => {
  for (const gated of [false, true]) {
    const { clock, engine } = slowEngine();
    const ticket = engine.submit(
      engineRequest(prompt(300), { gated, decode: decodeProgram({ maxTokens: 40 }) }),
    );
    const outcome = collect(ticket);
    await clock.advance(2000);
    assert.equal((await outcome).end?.held?.length, 339);
    ticket.settle(null);
    assert.equal(engine.load().kvTokensUsed, 300);
    const next = [...prompt(300).slice(0), ...(await outcome).output, 7];
    assert.equal(
      await cachedOf(engine, clock, engineRequest(tokenRope("root", Uint32Array.from(next)))),
      300,
    );
  }
});

test("settle shorter keeps exactly that much; a prefix that is not what is held counts as refused", async () => {
  const { clock, engine } = slowEngine();
  const request = engineRequest(prompt(300), { gated: true });
  const run = async () => {
    const ticket = engine.submit(request);
    const outcome = collect(ticket);
    await clock.advance(1000);
    await outcome;
    return ticket;
  };
  (await run()).settle(prompt(150).tip);
  assert.equal(engine.load().kvTokensUsed, 150);
  assert.equal(await cachedOf(engine, clock, request), 150);
  (await run()).settle({ hash: "f".repeat(32), length: 310 });
  assert.equal(engine.load().kvTokensUsed, 300);
});

test("settle before the end takes effect there", async () => {
  const { clock, engine } = slowEngine();
  const ticket = engine.submit(engineRequest(prompt(300)));
  ticket.settle(null);
  const outcome = collect(ticket);
  await clock.advance(1000);
  assertWellFormed(await outcome);
  assert.equal(engine.load().kvTokensUsed, 300);
});

test("a gated output is nobody's before its verdict, and everybody's after it", async () => {
  const { clock, engine } = slowEngine();
  const ticket = engine.submit(
    engineRequest(prompt(100), { gated: true, decode: decodeProgram({ maxTokens: 80 }) }),
  );
  const outcome = collect(ticket);
  await clock.advance(2000);
  const { end, output } = await outcome;
  const next = Uint32Array.from([...prompt(100).slice(0), ...output, 7]);
  const probe = engineRequest(tokenRope("root", next), { decode: prefillOnly });
  assert.equal(await cachedOf(engine, clock, { ...probe, gated: true }), 100);
  ticket.settle(end?.held ?? null);
  assert.ok((await cachedOf(engine, clock, probe)) >= 179);
});

test("lease expiry: an ungated result stays held, of a gated one only the prompt", async () => {
  for (const gated of [false, true]) {
    const { clock, engine } = slowEngine({ capacityTokens: 192, leaseMs: 5000 });
    const first = engine.submit(
      engineRequest(prompt(100), { gated, decode: decodeProgram({ maxTokens: 29 }) }),
    );
    const outcome = collect(first);
    await clock.advance(1000);
    const { end, output } = await outcome;
    const waiting = engine.submit(engineRequest(prompt(190, 20, "other"), { decode: prefillOnly }));
    const done = collect(waiting);
    await clock.advance(1000);
    assert.equal(engine.load().waiting, 1, "what is leased is not dropped");
    await clock.advance(5000);
    assert.equal((await done).end?.reason, "length");
    first.settle(end?.held ?? null);
    assert.ok(output.length === 29);
  }
});

test("room is made from what is idle, however long ago the leased was used", async () => {
  const { clock, engine } = slowEngine({ capacityTokens: 384 });
  const run = async (root: string, length: number) => {
    const ticket = engine.submit(engineRequest(prompt(length, 10, root), { decode: prefillOnly }));
    const outcome = collect(ticket);
    await clock.advance(1000);
    await outcome;
    return ticket;
  };
  const leased = await run("leased", 128);
  const idle = await run("idle", 128);
  await idle[Symbol.asyncDispose]();
  const newcomer = await run("newcomer", 200);
  assert.equal(engine.load().kvTokensUsed, 128 + 200);
  for (const ticket of [newcomer, leased]) await ticket[Symbol.asyncDispose]();
  assert.equal(
    await cachedOf(engine, clock, engineRequest(prompt(128, 10, "leased"), { decode: prefillOnly })),
    127,
  );
});

test("lease expiry decides what a later request finds", async () => {
  for (const [gated, expected] of [
    [false, 128],
    [true, 100],
  ] as const) {
    const { clock, engine } = slowEngine({ leaseMs: 5000 });
    const ticket = engine.submit(
      engineRequest(prompt(100), { gated, decode: decodeProgram({ maxTokens: 29 }) }),
    );
    const outcome = collect(ticket);
    await clock.advance(1000);
    const { output } = await outcome;
    await clock.advance(6000);
    const next = tokenRope("root", Uint32Array.from([...prompt(100).slice(0), ...output, 7]));
    assert.equal(await cachedOf(engine, clock, engineRequest(next)), expected);
  }
});

test("crash: running and queued requests end with engine_restarting, the epoch changes, nothing is held", async () => {
  const { clock, engine } = slowEngine({ maxRunning: 1 });
  const held = engine.submit(engineRequest(prompt(64, 30), { decode: prefillOnly }));
  const before = collect(held);
  await clock.advance(500);
  await before;
  const running = collect(engine.submit(engineRequest(prompt(300))));
  const queued = collect(engine.submit(engineRequest(prompt(300, 20))));
  await clock.advance(100);
  const { epoch } = engine.info();
  engine.crash();
  for (const done of [await running, await queued]) {
    assertWellFormed(done);
    assert.equal(done.error?.code, "engine_restarting");
    assert.equal(done.error?.retryable, true);
  }
  assert.notEqual(engine.info().epoch, epoch);
  assert.equal(engine.load().kvTokensUsed, 0);
  held.settle(prompt(64, 30).tip);
  assert.equal(engine.load().kvTokensUsed, 0);
  assert.equal(await cachedOf(engine, clock, engineRequest(prompt(300))), 0);
});

test("close lets running requests finish within the drain time, then ends them; new ones are turned away", async () => {
  for (const [drainMs, expected] of [
    [10_000, "end"],
    [50, "error"],
  ] as const) {
    const { clock, engine } = slowEngine();
    const outcome = collect(engine.submit(engineRequest(prompt(300))));
    await settleMicrotasks();
    const closing = engine.close(drainMs);
    const late = await collect(engine.submit(engineRequest(prompt(10))));
    assert.equal(late.error?.code, "engine_restarting");
    await clock.advance(20_000);
    await closing;
    assert.equal((await outcome).events.at(-1)?.type, expected);
  }
});
