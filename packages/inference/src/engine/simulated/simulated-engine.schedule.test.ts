import assert from "node:assert/strict";
import { test } from "node:test";
import {
  collect,
  decodeProgram,
  engineRequest,
  FakeClock,
  settleMicrotasks,
  simulatedModel,
  tokenRope,
} from "@slipstream-stack/testkit";
import fc from "fast-check";
import type { CostModel } from "./cost-model.ts";

const slow: CostModel = { prefillMsPerToken: 1, decodeMsPerStep: 10, batchFactor: 0.5 };

function prompt(length: number, first = 10, root = "root") {
  return tokenRope(
    root,
    Uint32Array.from({ length }, (_, index) => first + (index % 100)),
  );
}

test("requests that share a prefix still being prefilled wait for it: its tokens are evaluated once", async () => {
  const clock = new FakeClock();
  const { engine } = simulatedModel({ clock, cost: slow, chunkTokens: 64 });
  const decode = decodeProgram({ maxTokens: 1 });
  const ids = prompt(1000).slice(0);
  const tickets = [0, 1, 2].map((branch) =>
    engine.submit(engineRequest(tokenRope("root", Uint32Array.from([...ids, 200 + branch])), { decode })),
  );
  const outcomes = Promise.all(tickets.map((ticket) => collect(ticket)));
  await clock.advance(5000);
  const [first, ...others] = await outcomes;
  assert.equal(first?.admitted?.cached.hot, 0);
  for (const other of others) {
    assert.equal(other.admitted?.cached.hot, 1000);
    assert.equal(other.end?.evaluated, 1);
  }
  assert.equal(engine.load().tokensPrefilled, 1003);
});

test("prefill that others wait for goes on when its own client cancels", async () => {
  const clock = new FakeClock();
  const { engine } = simulatedModel({ clock, cost: slow, chunkTokens: 64 });
  const first = engine.submit(engineRequest(prompt(1000)));
  const firstDone = collect(first);
  await clock.advance(100);
  const second = engine.submit(engineRequest(prompt(1000), { decode: decodeProgram({ maxTokens: 0 }) }));
  const secondDone = collect(second);
  await clock.advance(10);
  first.cancel();
  await clock.advance(5000);
  assert.equal((await firstDone).end?.reason, "cancelled");
  assert.equal((await secondDone).admitted?.cached.hot, 999);
  assert.equal(engine.load().tokensPrefilled, 1001);
});

test("waiting for another's prefill is bounded", async () => {
  const clock = new FakeClock();
  const { engine } = simulatedModel({ clock, cost: slow, chunkTokens: 64, joinMs: 200 });
  const first = collect(engine.submit(engineRequest(prompt(3000))));
  await clock.advance(10);
  const second = collect(engine.submit(engineRequest(prompt(3000))));
  await clock.advance(20_000);
  const cached = (await second).admitted?.cached.hot ?? 0;
  assert.ok(cached >= 192 && cached < 500, String(cached));
  assert.equal((await first).end?.reason, "length");
});

test("decoding goes on between the chunks of another's prefill", async () => {
  const clock = new FakeClock();
  const { engine } = simulatedModel({ clock, cost: slow, chunkTokens: 100 });
  const decoding = engine.submit(engineRequest(prompt(10), { decode: decodeProgram({ maxTokens: 50 }) }));
  const decoded = collect(decoding);
  await clock.advance(30);
  const prefilling = collect(engine.submit(engineRequest(prompt(1000, 50))));
  await clock.advance(10_000);
  await prefilling;
  const { end } = await decoded;
  assert.ok((end?.ms.decode ?? 0) <= 49 * 10 + 1000 + 100);
  assert.equal(engine.load().tokensDecoded, 49 + 15);
});

test("a reader that does not pull stops its own decoding and nobody else's", async () => {
  const { engine } = simulatedModel({ credit: 8 });
  const idle = engine.submit(engineRequest(prompt(10), { decode: decodeProgram({ maxTokens: 100 }) }));
  await settleMicrotasks();
  const other = await collect(
    engine.submit(engineRequest(prompt(10, 60), { decode: decodeProgram({ maxTokens: 100 }) })),
  );
  assert.equal(other.output.length, 100);
  assert.ok(engine.load().tokensDecoded < 99 + 8);
  assert.equal((await collect(idle)).output.length, 100);
});

test("a higher priority runs first, and equal ones in the order they came", async () => {
  const clock = new FakeClock();
  const { engine } = simulatedModel({ clock, cost: slow, maxRunning: 1 });
  const order: string[] = [];
  const submit = async (id: string, priority: number, first: number) => {
    const ticket = engine.submit(
      engineRequest(prompt(10, first), { id, priority, decode: decodeProgram({ maxTokens: 1 }) }),
    );
    for await (const event of ticket.events) if (event.type === "admitted") order.push(id);
  };
  const all = [submit("running", 0, 1)];
  await clock.advance(1);
  all.push(submit("first", 0, 2), submit("second", 0, 3), submit("urgent", 5, 4));
  await clock.advance(1000);
  await Promise.all(all);
  assert.deepEqual(order, ["running", "urgent", "first", "second"]);
});

test("requests whose total exceeds the room all finish, with what they would have said alone", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.integer({ min: 1, max: 150 }), fc.integer({ min: 0, max: 60 }), fc.boolean()), {
        minLength: 2,
        maxLength: 8,
      }),
      async (shapes) => {
        const clock = new FakeClock();
        const { engine } = simulatedModel({
          clock,
          cost: slow,
          contextTokens: 256,
          capacityTokens: 256,
          chunkTokens: 32,
        });
        const runs = shapes.map(async ([length, maxTokens, useCache], index) => {
          const request = engineRequest(prompt(length, 10 + (index % 3)), {
            useCache,
            decode: decodeProgram({ maxTokens }),
          });
          await using ticket = engine.submit(request);
          let used = 0;
          const watched = {
            ...ticket,
            events: watch(ticket.events, () => (used = Math.max(used, engine.load().kvTokensUsed))),
          };
          const outcome = await collect(watched);
          assert.ok(used <= 256);
          const alone = simulatedModel({ contextTokens: 256 });
          assert.deepEqual(outcome.output, (await collect(alone.engine.submit(request))).output);
          return outcome;
        });
        const done = Promise.all(runs);
        await clock.advance(1_000_000);
        for (const { end } of await done) assert.equal(end?.reason, "length");
        assert.equal(engine.load().running + engine.load().waiting, 0);
      },
    ),
    { numRuns: 60 },
  );
});

async function* watch<Event>(events: AsyncIterable<Event>, look: () => void): AsyncGenerator<Event> {
  for await (const event of events) {
    look();
    yield event;
  }
}

test("a parked request counts the rows it had to evaluate twice", async () => {
  const clock = new FakeClock();
  const { engine } = simulatedModel({ clock, cost: slow, contextTokens: 256, capacityTokens: 256 });
  const decode = decodeProgram({ maxTokens: 100 });
  const elder = collect(engine.submit(engineRequest(prompt(100, 10), { decode })));
  const younger = collect(engine.submit(engineRequest(prompt(100, 60), { decode })));
  await clock.advance(100_000);
  assert.equal((await elder).end?.evaluated, 199);
  const { end, output, events } = await younger;
  assert.equal(output.length, 100);
  assert.ok((end?.evaluated ?? 0) > 199);
  assert.equal(events.filter(({ type }) => type === "admitted").length, 1);
});
