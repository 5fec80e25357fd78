import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { hashBlockSize } from "../../../kv/prefix-hash.ts";
import { testContinuation, testVocabularySize } from "./test-evaluator.ts";
import { TestLoop, testJob } from "./test-loop.ts";

const range = (from: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => (from + index * 7) % testVocabularySize);

test("a request gets its greedy continuation, and its prompt is evaluated once", () => {
  const loop = new TestLoop();
  const prompt = range(3, 150);
  loop.loop.submit(testJob("a", prompt));
  loop.run();
  assert.deepEqual(loop.tokens("a"), testContinuation(prompt, 8));
  const end = loop.end("a");
  assert.equal(end?.reason, "length");
  assert.equal(end?.keep, 8);
  // The last token has been sampled, not evaluated.
  assert.equal(end?.evaluated, 157);
  assert.equal(end?.held?.length, 157);
});

test("the next lap extends the idle tip: only what is new is evaluated", () => {
  const loop = new TestLoop();
  const prompt = range(3, 150);
  loop.loop.submit(testJob("a", prompt));
  loop.run();
  const next = [...prompt, ...loop.tokens("a"), ...range(50, 20)];
  loop.loop.submit(testJob("b", next));
  loop.run();
  assert.deepEqual(loop.cached("b"), { hot: 157, ram: 0 });
  assert.equal(loop.end("b")?.evaluated, next.length - 157 + 7);
  assert.deepEqual(loop.tokens("b"), testContinuation(next, 8));
  assert.equal([...loop.loop.table.all].length, 1);
});

test("the same prompt again evaluates one token", () => {
  const loop = new TestLoop();
  const prompt = range(3, 150);
  loop.loop.submit(testJob("a", prompt));
  loop.run();
  loop.loop.submit(testJob("b", prompt));
  loop.run();
  assert.deepEqual(loop.cached("b"), { hot: 149, ram: 0 });
  assert.deepEqual(loop.tokens("b"), loop.tokens("a"));
  assert.equal([...loop.loop.table.all].length, 1, "one of two equal sequences is enough");
});

test("another root shares nothing", () => {
  const loop = new TestLoop();
  loop.loop.submit(testJob("a", range(3, 150)));
  loop.run();
  loop.loop.submit(testJob("b", range(3, 150), { root: "1".repeat(32) }));
  loop.run();
  assert.deepEqual(loop.cached("b"), { hot: 0, ram: 0 });
});

test("a fork leaves the other branch as it is", () => {
  const loop = new TestLoop();
  const stem = range(3, 128);
  const left = [...stem, 1, 2, 3];
  const right = [...stem, 4, 5, 6];
  loop.loop.submit(testJob("a", left));
  loop.run();
  loop.loop.submit(testJob("b", right));
  loop.run();
  assert.deepEqual(loop.cached("b"), { hot: 128, ram: 0 });
  assert.deepEqual(loop.tokens("b"), testContinuation(right, 8));
  assert.equal(loop.loop.table.cells.used, 128 + 2 * (3 + 7), "the stem is held once");
  loop.loop.submit(testJob("c", [...left, ...loop.tokens("a"), 9]));
  loop.run();
  assert.deepEqual(loop.cached("c"), { hot: 131 + 7, ram: 0 });
});

test("a prompt that shares a running prefill waits for it and forks", () => {
  const loop = new TestLoop();
  const stem = range(3, 500);
  loop.loop.submit(testJob("a", [...stem, 1]));
  loop.loop.submit(testJob("b", [...stem, 2]));
  loop.run();
  assert.deepEqual(loop.cached("b"), { hot: 500, ram: 0 });
  assert.equal((loop.end("a")?.evaluated ?? 0) + (loop.end("b")?.evaluated ?? 0), 500 + 2 + 14);
  assert.deepEqual(loop.tokens("b"), testContinuation([...stem, 2], 8));
});

test("the wait for a shared prefill is bounded", () => {
  const loop = new TestLoop({ longestWaitMs: 5 });
  const stem = range(3, 500);
  loop.loop.submit(testJob("a", [...stem, 1]));
  loop.loop.submit(testJob("b", [...stem, 2]));
  loop.run(() => {
    loop.now += 4;
  });
  const cached = loop.cached("b")?.hot ?? 0;
  assert.ok(cached > 0 && cached < 500, `${cached}`);
  assert.deepEqual(loop.tokens("b"), testContinuation([...stem, 2], 8));
});

test("a prefill that others wait for outlives its client", () => {
  const loop = new TestLoop();
  const stem = range(3, 500);
  loop.loop.submit(testJob("a", [...stem, 1]));
  loop.loop.submit(testJob("b", [...stem, 2]));
  loop.loop.step();
  loop.loop.cancel("a");
  loop.run();
  assert.equal(loop.end("a")?.reason, "cancelled");
  assert.deepEqual(loop.cached("b"), { hot: 500, ram: 0 });
});

test("a cancelled request ends once, keeps its prefix, and changes no other", () => {
  const loop = new TestLoop();
  const a = range(3, 100);
  const b = range(4, 100);
  const long = { ...testJob("x", a).decode, maxTokens: 200 };
  loop.loop.submit(testJob("a", a, { decode: long }));
  loop.loop.submit(testJob("b", b, { decode: { ...long, maxTokens: 30 } }));
  let steps = 0;
  loop.run(() => {
    steps += 1;
    if (steps === 20) loop.loop.cancel("a");
  });
  const end = loop.end("a");
  assert.equal(end?.reason, "cancelled");
  assert.equal(end?.keep, loop.tokens("a").length);
  assert.equal(end?.held?.length, 100 + loop.tokens("a").length - 1);
  assert.deepEqual(loop.tokens("b"), testContinuation(b, 30));
  assert.equal(loop.events.get("a")?.filter(({ type }) => type === "end").length, 1);
});

test("an aborted batch is taken up where the cache stands", () => {
  const loop = new TestLoop();
  const prompt = range(3, 150);
  loop.loop.submit(testJob("a", prompt));
  let steps = 0;
  loop.run(() => {
    steps += 1;
    if (steps === 2) loop.evaluator.abortAfter = 10;
    if (steps === 4) loop.evaluator.abortAfter = 24;
    if (steps === 7) loop.evaluator.abortAfter = 1;
  });
  assert.deepEqual(loop.tokens("a"), testContinuation(prompt, 8));
  assert.ok((loop.end("a")?.evaluated ?? 0) > 157, "rows evaluated twice count twice");
});

test("without cache nothing is taken and nothing is left", () => {
  const loop = new TestLoop();
  const prompt = range(3, 100);
  loop.loop.submit(testJob("a", prompt));
  loop.run();
  loop.loop.submit(testJob("b", prompt, { useCache: false }));
  loop.run();
  assert.deepEqual(loop.cached("b"), { hot: 0, ram: 0 });
  assert.equal(loop.end("b")?.evaluated, 107);
  assert.equal(loop.end("b")?.held, null);
  assert.equal([...loop.loop.table.all].length, 1);
});

test("prefill only samples nothing and holds the prompt", () => {
  const loop = new TestLoop();
  const prompt = range(3, 100);
  loop.loop.submit(testJob("a", prompt, { decode: { ...testJob("x", [1]).decode, maxTokens: 0 } }));
  loop.run();
  const end = loop.end("a");
  assert.deepEqual([end?.reason, end?.keep, end?.held?.length], ["length", 0, 100]);
  assert.deepEqual(loop.tokens("a"), []);
});

test("stop tokens, stop bytes and forced ids end where they say", () => {
  const prompt = range(3, 40);
  const output = testContinuation(prompt, 8);
  const { decode } = testJob("x", [1]);
  const end = (changes: Partial<typeof decode>) => {
    const loop = new TestLoop();
    loop.loop.submit(testJob("a", prompt, { decode: { ...decode, ...changes } }));
    loop.run();
    const event = loop.end("a");
    return [event?.reason, event?.rule, event?.keep, event?.held?.length, loop.tokens("a").length];
  };
  const [, , third = 0, fourth = 0] = output;
  const firstThird = output.indexOf(third);
  assert.deepEqual(end({ stopTokens: [96_000, third] }), [
    "stop",
    1,
    firstThird,
    40 + firstThird,
    firstThird + 1,
  ]);
  const bytes = Uint8Array.of(third, fourth);
  assert.deepEqual(end({ stopTokens: [96_000], stopBytes: [bytes] }), ["stop", 1, 2, 42, 4]);
  const forced = Uint32Array.of(5, 6, 7);
  assert.deepEqual(end({ forced, stopTokens: [7] }), ["stop", 0, 2, 42, 3]);
  assert.deepEqual(end({ forced }), ["stop", null, 3, 43, 3]);
  assert.deepEqual(end({ forced, maxTokens: 2 }), ["length", null, 2, 41, 2]);
});

test("a request without credit pauses alone", () => {
  const loop = new TestLoop();
  loop.loop.submit(testJob("slow", range(3, 20), { credit: 2 }));
  loop.loop.submit(testJob("fast", range(4, 20)));
  loop.run();
  assert.equal(loop.tokens("slow").length, 2);
  assert.equal(loop.tokens("fast").length, 8);
  loop.loop.credit("slow", 100);
  loop.run();
  assert.deepEqual(loop.tokens("slow"), testContinuation(range(3, 20), 8));
});

test("eight requests that do not fit together all finish, each with its own output", () => {
  const loop = new TestLoop({ parkedBytes: 100_000 }, 256, 32, 8);
  const { decode } = testJob("x", [1]);
  const prompts = Array.from({ length: 8 }, (_, index) => range(index * 11, 60));
  for (const [index, prompt] of prompts.entries()) {
    loop.loop.submit(testJob(`r${index}`, prompt, { decode: { ...decode, maxTokens: 150 } }));
  }
  loop.run();
  for (const [index, prompt] of prompts.entries()) {
    assert.deepEqual(loop.tokens(`r${index}`), testContinuation(prompt, 150), `request ${index}`);
    assert.equal(loop.end(`r${index}`)?.reason, "length");
  }
});

test("a request is evaluated again where nothing can be parked", () => {
  const loop = new TestLoop({ parkedBytes: 0 }, 256, 32, 8);
  const { decode } = testJob("x", [1]);
  const prompts = [range(1, 60), range(2, 60), range(3, 60)];
  for (const [index, prompt] of prompts.entries()) {
    loop.loop.submit(testJob(`r${index}`, prompt, { decode: { ...decode, maxTokens: 120 } }));
  }
  loop.run();
  for (const [index, prompt] of prompts.entries()) {
    assert.deepEqual(loop.tokens(`r${index}`), testContinuation(prompt, 120));
  }
});

test("idle sequences are parked while others run, and come back without evaluation", () => {
  const loop = new TestLoop({ hotIdleTokens: 0 });
  const a = range(3, 200);
  loop.loop.submit(testJob("a", a));
  loop.run();
  loop.loop.submit(testJob("b", range(5, 100)));
  loop.run();
  assert.equal(loop.loop.table.parkedCount, 1);
  const next = [...a, ...loop.tokens("a"), 1, 2];
  loop.loop.submit(testJob("c", next));
  loop.run();
  assert.deepEqual(loop.cached("c"), { hot: 0, ram: 207 });
  assert.deepEqual(loop.tokens("c"), testContinuation(next, 8));
});

test("gated output is seen by nobody before it is accepted, and gone when refused", () => {
  for (const accepted of [true, false]) {
    const loop = new TestLoop();
    const a = range(3, 100);
    loop.loop.submit(testJob("a", a, { gated: true }));
    loop.run();
    const next = [...a, ...loop.tokens("a"), 1];
    loop.loop.submit(testJob("early", next));
    loop.run();
    assert.deepEqual(loop.cached("early"), { hot: 100, ram: 0 });
    loop.loop.settle("a", accepted ? (loop.end("a")?.held ?? null) : null);
    loop.loop.submit(testJob("late", [...a, ...loop.tokens("a").slice(0, 7), 2], { root: "0".repeat(32) }));
    loop.run();
    assert.ok((loop.cached("late")?.hot ?? 0) >= 100);
    assert.equal(
      [...loop.loop.table.all].some(({ visible }) => visible === 100),
      false,
    );
  }
});

test("an unsettled gated request counts as refused when its lease is over", () => {
  const loop = new TestLoop({ leaseMs: 10 });
  loop.loop.submit(testJob("a", range(3, 100), { gated: true }));
  loop.run();
  loop.now = 11;
  loop.loop.step();
  assert.equal(loop.loop.table.cells.used, 100);
});

test("deterministic mode has one sequence at a time in the cache", () => {
  const loop = new TestLoop({ deterministic: true });
  const stem = range(3, 100);
  const prompts = [[...stem, 1], [...stem, 2, ...range(5, 70)], range(5, 10)];
  for (const [index, prompt] of prompts.entries()) loop.loop.submit(testJob(`r${index}`, prompt));
  loop.run(() => {
    const resident = [...loop.loop.table.all].filter(({ slot }) => slot !== null);
    assert.ok(resident.filter(({ owner }) => owner !== null).length <= 1);
  });
  assert.ok(loop.evaluator.batches.every(({ sequences, resident }) => sequences === 1 && resident === 1));
  for (const [index, prompt] of prompts.entries()) {
    assert.deepEqual(loop.tokens(`r${index}`), testContinuation(prompt, 8));
  }
  assert.deepEqual(loop.cached("r1"), { hot: 100, ram: 0 });
});

test("deterministic mode: one that waits for its consumer makes way and comes back", () => {
  const loop = new TestLoop({ deterministic: true });
  loop.loop.submit(testJob("slow", range(3, 20), { credit: 2 }));
  loop.loop.submit(testJob("next", range(4, 20)));
  loop.run();
  assert.deepEqual(loop.tokens("next"), testContinuation(range(4, 20), 8));
  loop.loop.credit("slow", 100);
  loop.run();
  assert.deepEqual(loop.tokens("slow"), testContinuation(range(3, 20), 8));
});

test("whatever is submitted, cancelled and parked: right tokens, exact counts, no leaked cell", () => {
  const request = fc.record({
    stem: fc.integer({ min: 0, max: 3 }),
    stemLength: fc.integer({ min: 1, max: 140 }),
    tail: fc.array(fc.integer({ min: 0, max: testVocabularySize - 1 }), { minLength: 1, maxLength: 30 }),
    maxTokens: fc.integer({ min: 0, max: 40 }),
    at: fc.integer({ min: 0, max: 40 }),
    cancelAt: fc.option(fc.integer({ min: 0, max: 60 }), { nil: null }),
    useCache: fc.boolean(),
    outliveClient: fc.boolean(),
    gated: fc.boolean(),
    settle: fc.boolean(),
  });
  const setting = fc.record({
    requests: fc.array(request, { minLength: 1, maxLength: 10 }),
    parkedBytes: fc.constantFrom(0, 150, 100_000),
    hotIdleTokens: fc.constantFrom(0, 64, 4_096),
    deterministic: fc.boolean(),
    maxSequences: fc.integer({ min: 2, max: 6 }),
    aborts: fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 3 }),
  });
  fc.assert(
    fc.property(setting, ({ requests, parkedBytes, hotIdleTokens, deterministic, maxSequences, aborts }) => {
      const loop = new TestLoop({ parkedBytes, hotIdleTokens, deterministic }, 200, 32, maxSequences);
      const prompts = requests.map(({ stem, stemLength, tail }) => [
        ...range(stem * 13, stemLength),
        ...tail,
      ]);
      const settled = new Set<number>();
      const told = { hot: new Set<string>(), ram: new Set<string>() };
      let step = 0;
      const drive = (): void => {
        for (const [index, { at, cancelAt, ...request }] of requests.entries()) {
          const decode = { ...testJob("x", [1]).decode, maxTokens: request.maxTokens };
          const { useCache, outliveClient, gated } = request;
          if (at === step) {
            loop.loop.submit(
              testJob(`${index}`, prompts[index]!, { decode, useCache, outliveClient, gated }),
            );
          }
          if (cancelAt === step && at <= step) loop.loop.cancel(`${index}`);
          const end = loop.end(`${index}`);
          if (end !== null && request.settle && !settled.has(index)) {
            settled.add(index);
            loop.loop.settle(`${index}`, index % 2 === 0 ? end.held : null);
          }
        }
        for (const change of loop.loop.table.blocks.take()) {
          for (const block of change.blocks) {
            if (change.type === "stored") told[change.tier].add(block);
            else assert.ok(told[change.tier].delete(block), "only what was stored is removed");
          }
        }
        if (aborts.includes(step)) loop.evaluator.abortAfter = step % 3;
        step += 1;
        assert.equal(loop.loop.table.cells.used, loop.evaluator.usedCells);
        assert.ok(loop.loop.table.parkedBytes <= parkedBytes);
      };
      for (let round = 0; round < 45; round += 1) {
        drive();
        loop.loop.step();
      }
      loop.run(drive);
      for (const [index, { maxTokens, cancelAt, at }] of requests.entries()) {
        const tokens = loop.tokens(`${index}`);
        assert.deepEqual(tokens, testContinuation(prompts[index]!, tokens.length));
        if (cancelAt === null || cancelAt < at) assert.equal(tokens.length, maxTokens);
        const events = loop.events.get(`${index}`) ?? [];
        const ends = events.filter((event) => event.type === "end" || event.type === "error");
        assert.equal(ends.length, 1);
      }
      drive();
      const blocks = { hot: new Set<string>(), ram: new Set<string>() };
      for (const sequence of loop.loop.table.all) {
        const count = Math.floor(Math.min(sequence.evaluated, sequence.visible) / hashBlockSize);
        for (let index = 1; index <= count; index += 1) {
          blocks[sequence.slot === null ? "ram" : "hot"].add(sequence.tokens.blockHash(index));
        }
        const { slot, state, tokens, evaluated } = sequence;
        const held = slot === null ? [...(state ?? [])] : loop.evaluator.tokensOf(slot);
        assert.deepEqual(held, [...tokens.view(0, evaluated)]);
        assert.equal(sequence.owner, null);
      }
      assert.deepEqual(told, blocks);
    }),
    { numRuns: 300 },
  );
});

test("a request that is cancelled before it begins ends with an error, its prefill goes on if asked to", () => {
  for (const outliveClient of [true, false]) {
    const loop = new TestLoop();
    loop.loop.submit(testJob("a", range(3, 100), { outliveClient }));
    loop.loop.cancel("a");
    loop.run();
    const [only, ...rest] = loop.events.get("a") ?? [];
    assert.ok(only?.type === "error" && only.code === "cancelled" && rest.length === 0);
    assert.equal(loop.loop.table.cells.used, outliveClient ? 100 : 0);
  }
});

test("a parked base longer than the prompt gets the room that it needs to come back", () => {
  const loop = new TestLoop({ hotIdleTokens: 0 }, 300);
  const base = range(3, 240);
  loop.loop.submit(testJob("base", base));
  loop.run();
  loop.loop.submit(testJob("idle", range(5, 90)));
  loop.run();
  assert.equal(loop.loop.table.parkedCount, 1);
  const prompt = [...base.slice(0, 100), 1];
  loop.loop.submit(testJob("fork", prompt));
  loop.run();
  assert.deepEqual(loop.cached("fork"), { hot: 0, ram: 100 });
  assert.deepEqual(loop.tokens("fork"), testContinuation(prompt, 8));
});
