import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Constraint, ConstraintSource } from "../../port/decode-program.ts";
import { testRoot, testRope } from "./test-rope.ts";
import { TestServedModel } from "./test-served-model.ts";

let served: TestServedModel;
before(async () => {
  served = await TestServedModel.start();
});
after(async () => {
  await served[Symbol.asyncDispose]();
});

const wholeOutput = (source: ConstraintSource, then: Constraint["then"] = "stop"): Constraint => ({
  on: "start",
  source,
  then,
});
const otherRoot = (digit: string): string => digit.repeat(32);

test("it answers, and stops at the stop token, which is not kept", async () => {
  const prompt = await served.chat("What is the capital of France?");
  const answer = await served.answer(testRope(testRoot, prompt));
  assert.match(answer.text, /Paris/);
  assert.ok(answer.last.type === "end" && answer.last.reason === "stop");
  assert.equal(answer.last.keep, answer.ids.length - 1);
  assert.equal(answer.last.held?.length, prompt.length + answer.last.keep);
  assert.equal(answer.last.evaluated, prompt.length + answer.last.keep);
});

test("the next lap evaluates only what is new", async () => {
  const prompt = await served.chat("Name three colours.");
  const root = otherRoot("b");
  const first = await served.answer(testRope(root, prompt));
  assert.ok(first.last.type === "end");
  const output = Uint32Array.from(first.ids.slice(0, first.last.keep));
  const next = await served.encode("\nuser: and three more?");
  const held = first.last.held?.length ?? 0;
  const second = await served.answer(testRope(root, prompt, output, next));
  assert.equal(second.cached?.hot, held);
  assert.ok(second.last.type === "end");
  assert.equal(
    second.last.evaluated,
    prompt.length + output.length + next.length - held + second.ids.length - 1,
  );
});

test("a base believed held that is gone is sent after all", async () => {
  const root = otherRoot("c");
  const prompt = await served.chat("Say one word.");
  const gone = served.submit(testRope(root, prompt), {}, { gated: true });
  const first = await served.collect(gone);
  gone.settle(null);
  assert.ok(first.last.type === "end");
  const output = Uint32Array.from(first.ids.slice(0, first.last.keep));
  const second = await served.answer(testRope(root, prompt, output, await served.encode(" more")));
  assert.equal(second.cached?.hot, prompt.length, "refused output is not reused, the prompt is");
});

test("scopes with other roots share nothing", async () => {
  const prompt = await served.chat("What is water?");
  await served.answer(testRope(otherRoot("d"), prompt));
  const answer = await served.answer(testRope(otherRoot("e"), prompt));
  assert.deepEqual(answer.cached, { hot: 0, ram: 0 });
});

test("forced ids are taken as they stand, with their log probabilities", async () => {
  const prompt = await served.chat("What is the capital of France?");
  const stop = served.vocabulary.endOfGeneration[0] ?? 0;
  const forced = Uint32Array.of(...(await served.encode("Berlin, surely.")), stop);
  const answer = await served.answer(testRope(otherRoot("f"), prompt), {
    forced,
    logprobs: true,
    maxTokens: 50,
  });
  assert.deepEqual(answer.ids, [...forced]);
  assert.equal(answer.logprobs.length, forced.length);
  assert.ok(answer.logprobs.every((logprob) => logprob < 0 && Number.isFinite(logprob)));
  const free = await served.answer(testRope(otherRoot("0"), prompt), { logprobs: true });
  assert.ok((free.logprobs[0] ?? -9) > (answer.logprobs[0] ?? 0), "greedy chooses what is likelier");
});

test("a seed repeats its text", async () => {
  const prompt = await served.chat("Invent a name.");
  const decode = { sampling: { temperature: 1, topK: 40, topP: 0.95, seed: 42 }, maxTokens: 12 };
  const options = { useCache: false };
  const first = await served.answer(testRope(testRoot, prompt), decode, options);
  const second = await served.answer(testRope(testRoot, prompt), decode, options);
  assert.deepEqual(second.ids, first.ids);
  const other = { ...decode, sampling: { ...decode.sampling, seed: 43 } };
  const third = await served.answer(testRope(testRoot, prompt), other, options);
  assert.notDeepEqual(third.ids, first.ids);
});

test("a constraint holds the output to its schema", async () => {
  const prompt = await served.chat("What is the capital of France?");
  const schema = {
    type: "object",
    properties: { city: { type: "string", enum: ["Rome", "Oslo"] } },
    required: ["city"],
    additionalProperties: false,
  };
  const answer = await served.answer(testRope(testRoot, prompt), {
    constraints: [wholeOutput({ kind: "json_schema", schema })],
    maxTokens: 60,
  });
  assert.ok(answer.last.type === "end" && answer.last.reason === "stop");
  const parsed = JSON.parse(served.text(answer.ids.slice(0, answer.last.keep))) as { city: string };
  assert.ok(["Rome", "Oslo"].includes(parsed.city));
});

test("a bad schema fails its own request only", async () => {
  const prompt = await served.chat("Hello");
  const bad = served.answer(testRope(testRoot, prompt), {
    constraints: [wholeOutput({ kind: "ebnf", text: "root ::= missing" })],
  });
  const good = served.answer(testRope(testRoot, prompt));
  const failed = (await bad).last;
  assert.ok(failed.type === "error" && failed.code === "invalid_request");
  assert.equal((await good).last.type, "end");
});

test("what would make the library abort is refused", async () => {
  const size = served.vocabulary.pieces.length;
  const cases = [
    served.answer(testRope(testRoot, Uint32Array.of(size))),
    served.answer(testRope(testRoot, new Uint32Array(0))),
    served.answer(testRope(testRoot, new Uint32Array(served.model.engine.info().contextLength + 1))),
    served.answer(testRope(testRoot, Uint32Array.of(5)), { forced: Uint32Array.of(size + 5) }),
    served.answer(testRope(testRoot, Uint32Array.of(5)), { maxTokens: -1 }),
    served.answer(testRope(testRoot, Uint32Array.of(5)), {
      sampling: { temperature: Number.NaN, topK: 0, topP: 1, seed: 1 },
    }),
  ];
  for (const { last } of await Promise.all(cases)) {
    assert.ok(last.type === "error" && last.code === "invalid_request");
  }
  assert.equal((await served.answer(testRope(testRoot, Uint32Array.of(5)))).last.type, "end");
});

test("a consumer that never reads stops only itself", async () => {
  const prompt = await served.chat("Count.");
  const forced = new Uint32Array(280).fill(Number((await served.encode(" one"))[0]));
  const slow = served.submit(testRope(otherRoot("1"), prompt), { forced, maxTokens: 280 });
  const fast = await served.answer(testRope(otherRoot("2"), prompt), { forced, maxTokens: 280 });
  assert.equal(fast.ids.length, 280);
  assert.equal(served.model.engine.load().running, 1, "the slow one waits for its credit");
  assert.equal((await served.collect(slow)).ids.length, 280);
});

test("cancelling in a prefill ends it soon and keeps what was evaluated", async () => {
  const ids = await served.encode("All work and no play makes a dull agent. ".repeat(300));
  const prompt = testRope(otherRoot("3"), ids.slice(0, 3_000));
  const ticket = served.submit(prompt);
  for await (const event of ticket.events) {
    if (event.type === "prefill") ticket.cancel();
    if (event.type !== "end") continue;
    assert.equal(event.reason, "cancelled");
    assert.ok(event.evaluated >= 512 && event.evaluated < 3_000);
    assert.equal(event.held?.length, event.evaluated);
  }
});

test("eight requests whose total exceeds the cells all finish", async () => {
  await using small = await TestServedModel.start({ contextTokens: 1_024 });
  const words = await small.encode("The quick brown fox jumps over the lazy dog and runs on. ".repeat(30));
  const forced = words.slice(0, 100);
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      small.answer(testRope(otherRoot(String(index)), words.slice(index, index + 150)), {
        forced,
        maxTokens: 100,
      }),
    ),
  );
  assert.ok(8 * 250 > small.model.engine.load().kvTokensCapacity);
  for (const { ids, last } of answers) {
    assert.deepEqual(ids, [...forced]);
    assert.ok(last.type === "end");
  }
});

test("cache events tell what is held", async () => {
  const root = otherRoot("4");
  const ids = (await served.encode("Events tell what is held. ".repeat(60))).slice(0, 256);
  const stored = new Set<string>();
  const listening = (async () => {
    for await (const event of served.model.engine.kvEvents(null)) {
      if (event.type === "stored") for (const block of event.blocks) stored.add(block);
      const rope = testRope(root, ids);
      if (
        [...rope.boundaries()].filter(({ length }) => length % 64 === 0).every(({ hash }) => stored.has(hash))
      )
        return;
    }
  })();
  await served.answer(testRope(root, ids), { maxTokens: 0 });
  await listening;
  assert.ok(stored.size >= 4);
});
