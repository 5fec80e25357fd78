import assert from "node:assert/strict";
import { test } from "node:test";
import type { EngineEvent, EngineRequest, LoadReport } from "../../../port/token-engine.ts";
import type { ChildIdentity, ToChild } from "../../wire/messages.ts";
import { collect } from "../test-collect.ts";
import { testRope } from "../test-rope.ts";
import { LlamaEngine } from "./llama-engine.ts";

const root = "a".repeat(32);
const ids = (length: number, first = 0): Uint32Array =>
  Uint32Array.from({ length }, (_, index) => first + index);

const identity = (epoch: string): ChildIdentity => ({
  epoch,
  description: {
    id: "test",
    chatTemplate: null,
    trainedContextLength: 100,
    vocabularySize: 100,
    beginOfText: null,
    endOfText: null,
  },
  model: "m",
  tokenizer: "t",
  kvFormat: "k",
  contextLength: 100,
  hotTokens: 400,
  ramTokens: 800,
});

class Harness {
  readonly sent: ToChild[] = [];
  running = true;
  closes = 0;
  readonly engine: LlamaEngine;

  constructor() {
    const send = (message: ToChild): boolean => {
      if (this.running) this.sent.push(message);
      return this.running;
    };
    this.engine = new LlamaEngine(identity("e1"), 1_000, send, async () => {
      this.closes += 1;
    });
  }

  submit(prompt: EngineRequest["prompt"], changes: Partial<EngineRequest> = {}) {
    return this.engine.submit({
      id: "x",
      scope: "s",
      session: root,
      prompt,
      decode: {
        maxTokens: 4,
        sampling: { temperature: 0, topK: 0, topP: 1, seed: 1 },
        stopTokens: [],
        stopBytes: [],
        constraints: [],
        speculate: "off",
      },
      priority: 0,
      useCache: true,
      outliveClient: false,
      gated: false,
      ...changes,
    });
  }

  step(...events: [number, EngineEvent][]): void {
    const load = { ...this.engine.load(), steps: 7 } satisfies LoadReport;
    this.engine.receive({ type: "step", events, blocks: [], load });
  }

  last(type: ToChild["type"]) {
    return this.sent.findLast((message) => message.type === type);
  }
}

const end = (held: { hash: string; length: number } | null): EngineEvent => ({
  type: "end",
  reason: "stop",
  rule: 0,
  keep: 1,
  held,
  evaluated: 5,
  ms: { queue: 0, prefill: 0, decode: 0 },
});

test("the first request sends all; the next one names what was held and sends the tail", async () => {
  const harness = new Harness();
  const first = testRope(root, ids(70));
  const ticket = harness.submit(first);
  assert.deepEqual(harness.last("submit"), {
    ...harness.last("submit"),
    from: 0,
    refs: [],
    tail: first.slice(0),
  });
  const longer = testRope(root, ids(70), ids(3, 70));
  const held = [...longer.boundaries()][0]!;
  harness.step([1, { type: "tokens", ids: Uint32Array.of(9) }], [1, end(held)]);
  assert.deepEqual(
    (await collect(ticket.events)).map(({ type }) => type),
    ["tokens", "end"],
  );
  harness.submit(testRope(root, ids(70), ids(3, 70), ids(5, 90)));
  const sent = harness.last("submit");
  assert.ok(sent?.type === "submit");
  assert.deepEqual([sent.from, sent.refs[0], sent.tail], [73, held, ids(5, 90)]);
});

test("what the engine turns out not to hold is sent when it asks", () => {
  const harness = new Harness();
  const prompt = testRope(root, ids(70));
  harness.submit(prompt);
  harness.submit(testRope(root, ids(70), ids(5, 90)));
  harness.engine.receive({ type: "have", id: 2, length: 64 });
  assert.deepEqual(harness.last("missing"), { type: "missing", id: 2, ids: prompt.slice(64) });
});

test("without cache nothing is believed", () => {
  const harness = new Harness();
  harness.submit(testRope(root, ids(70)));
  harness.submit(testRope(root, ids(70)), { useCache: false });
  const sent = harness.last("submit");
  assert.ok(sent?.type === "submit" && sent.from === 0 && sent.refs.length === 0);
});

test("a child that dies ends every ticket once, and its beliefs", async () => {
  const harness = new Harness();
  const tickets = [harness.submit(testRope(root, ids(70))), harness.submit(testRope(root, ids(9)))];
  harness.running = false;
  harness.engine.childEnded("gone");
  for (const ticket of tickets) {
    const events = await collect(ticket.events);
    assert.equal(events.length, 1);
    assert.ok(events[0]?.type === "error" && events[0].code === "engine_restarting" && events[0].retryable);
  }
  const [late] = await collect(harness.submit(testRope(root, ids(4))).events);
  assert.ok(late?.type === "error" && late.code === "engine_restarting" && late.retryable);
  harness.running = true;
  harness.engine.childStarted(identity("e2"));
  assert.equal(harness.engine.info().epoch, "e2");
  harness.submit(testRope(root, ids(70), ids(2)));
  const sent = harness.last("submit");
  assert.ok(sent?.type === "submit" && sent.from === 0);
});

test("pulling gives credit in steps; what nobody pulls gives none", async () => {
  const harness = new Harness();
  const ticket = harness.submit(testRope(root, ids(5)));
  for (let index = 0; index < 130; index += 1) harness.step([1, { type: "tokens", ids: Uint32Array.of(1) }]);
  assert.equal(harness.last("credit"), undefined);
  const iterator = ticket.events[Symbol.asyncIterator]();
  for (let index = 0; index < 130; index += 1) await iterator.next();
  const credits = harness.sent.filter((message) => message.type === "credit");
  assert.deepEqual(credits, [
    { type: "credit", id: 1, count: 64 },
    { type: "credit", id: 1, count: 64 },
  ]);
});

test("disposing gives up the say over the result, whether it has ended or not", async () => {
  const harness = new Harness();
  const ended = harness.submit(testRope(root, ids(5)));
  harness.step([1, end(null)]);
  await ended[Symbol.asyncDispose]();
  assert.deepEqual(harness.last("release"), { type: "release", id: 1 });
  ended.cancel();
  assert.equal(harness.last("cancel"), undefined, "what has ended is not cancelled");
});

test("closing ends what is open and refuses what comes", async () => {
  const harness = new Harness();
  const open = harness.submit(testRope(root, ids(5)));
  await harness.engine.close(0);
  await harness.engine.close(0);
  assert.equal(harness.closes, 1);
  assert.equal((await collect(open.events)).at(-1)?.type, "error");
  const [late] = await collect(harness.submit(testRope(root, ids(5))).events);
  assert.ok(late?.type === "error" && late.code === "engine_restarting");
});
