import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { EngineEvent } from "../../../port/token-engine.ts";
import type { ConstraintHost } from "../../constraint/constraint-session.ts";
import { FrameDecoder } from "../../wire/frame.ts";
import type { ToParent, WireSubmit } from "../../wire/messages.ts";
import { TestEvaluator, testContinuation, testVocabularySize } from "../step-loop/test-evaluator.ts";
import { testJob } from "../step-loop/test-loop.ts";
import { testRope } from "../test-rope.ts";
import { StepService } from "./step-service.ts";
import type { WorkerStart } from "./worker-protocol.ts";

const root = "0".repeat(32);
const noConstraints: ConstraintHost = {
  prepare: () => {},
  open: () => assert.fail("no constraint is used here"),
  close: () => {},
};

/** A service over the test model, and what it sent. */
class Harness {
  readonly service: StepService;
  readonly frames: ToParent[] = [];
  readonly runningBatch = new SharedArrayBuffer(4 * 17);

  constructor() {
    const start: WorkerStart = {
      options: {
        id: "test",
        path: "",
        socket: "",
        key: "",
        contextTokens: null,
        maxSequences: 16,
        threads: { prefill: 1, decode: 1 },
        batchTokens: 64,
        parkedBytes: 100_000,
        deterministic: false,
        flashAttention: true,
        adaptThreads: false,
      },
      vocabulary: {
        pieces: Array.from({ length: testVocabularySize }, (_, id) => Uint8Array.of(id)),
        structural: new Map(),
        endOfGeneration: [],
        beginOfText: null,
        addBeginOfText: false,
      },
      trainedContext: 1_000,
      model: "m",
      runningBatch: this.runningBatch,
    };
    const decoder = new FrameDecoder();
    this.service = new StepService(new TestEvaluator(1_000, 64, 16), start, 500, {
      now: () => 0,
      drawSeed: () => 1,
      send: (frame) => this.frames.push(...(decoder.push(frame) as ToParent[])),
      constraints: noConstraints,
    });
    void this.service.run();
  }

  submit(id: number, prompt: readonly number[], changes: Partial<WireSubmit> = {}): void {
    const tail = Uint32Array.from(prompt);
    this.service.receive({
      ...testJob("", []),
      type: "submit",
      id,
      root,
      refs: [],
      from: 0,
      tail,
      ...changes,
    });
  }

  events(id: number): EngineEvent[] {
    return this.frames.flatMap((frame) =>
      frame.type === "step" ? frame.events.filter(([of]) => of === id).map(([, event]) => event) : [],
    );
  }

  async last(id: number): Promise<EngineEvent> {
    for (let attempt = 0; attempt < 1_000; attempt += 1) {
      const last = this.events(id).at(-1);
      if (last?.type === "end" || last?.type === "error") return last;
      await delay(2);
    }
    throw new Error(`request ${id} never ended`);
  }
}

const prompt = Array.from({ length: 100 }, (_, index) => (index * 7) % 90);

test("requests in, one frame a step for all of them out", async () => {
  const harness = new Harness();
  const short = prompt.slice(0, 30);
  harness.submit(1, short);
  harness.submit(2, short.toReversed());
  assert.equal((await harness.last(1)).type, "end");
  await harness.last(2);
  const ids = harness.events(1).flatMap((event) => (event.type === "tokens" ? [...event.ids] : []));
  assert.deepEqual(ids, testContinuation(short, 8));
  const shared = harness.frames.filter(
    (frame) => frame.type === "step" && new Set(frame.events.map(([id]) => id)).size === 2,
  );
  assert.ok(shared.length >= 7, "decode steps carry both");
  const { load } = harness.frames.findLast((frame) => frame.type === "step")!;
  assert.deepEqual([load.running, load.waiting, load.tokensDecoded], [0, 0, 14]);
});

test("a base is resolved, or asked for", async () => {
  const harness = new Harness();
  harness.submit(1, prompt);
  await harness.last(1);
  const rope = testRope(root, Uint32Array.from(prompt), Uint32Array.of(1, 2, 3));
  const refs = [...rope.boundaries()];
  harness.submit(2, [1, 2, 3], { from: 100, refs: refs.slice(1) });
  await harness.last(2);
  const [admitted] = harness.events(2);
  assert.ok(admitted?.type === "admitted" && admitted.cached.hot === 100 && admitted.missCause === null);
  harness.submit(3, [9], { from: 103, refs: [refs[0]!], root: "1".repeat(32) });
  assert.deepEqual(harness.frames.at(-1), { type: "have", id: 3, length: 0 });
  harness.service.receive({ type: "missing", id: 3, ids: rope.slice(0) });
  await harness.last(3);
  const [late] = harness.events(3);
  assert.ok(late?.type === "admitted" && late.missCause === "base_evicted");
});

test("an unsound request is refused, and a cancelled one that never began says so", async () => {
  const harness = new Harness();
  harness.submit(1, [testVocabularySize]);
  const refused = await harness.last(1);
  assert.ok(refused.type === "error" && refused.code === "invalid_request");
  harness.submit(2, [9], { from: 50, refs: [] });
  harness.service.receive({ type: "cancel", id: 2 });
  const cancelled = await harness.last(2);
  assert.ok(cancelled.type === "error" && cancelled.code === "cancelled");
});

test("credit wakes a request that waited for it", async () => {
  const harness = new Harness();
  harness.submit(1, prompt, { credit: 3 });
  const tokens = () => harness.events(1).filter(({ type }) => type === "tokens").length;
  for (let attempt = 0; attempt < 500 && tokens() < 3; attempt += 1) await delay(2);
  await delay(10);
  assert.equal(tokens(), 3);
  harness.service.receive({ type: "credit", id: 1, count: 50 });
  assert.equal((await harness.last(1)).type, "end");
  assert.equal(new Int32Array(harness.runningBatch)[0], 0, "no batch runs any more");
});

test("settling and leaving reach the cache, and the listeners hear of it", async () => {
  const harness = new Harness();
  harness.submit(1, prompt, { gated: true });
  await harness.last(1);
  harness.service.receive({ type: "release", id: 1 });
  harness.submit(2, [5]);
  await harness.last(2);
  const { load } = harness.frames.findLast((frame) => frame.type === "step")!;
  assert.equal(load.kvTokensUsed, 100 + 8);
  const stored = harness.frames.flatMap((frame) => (frame.type === "step" ? frame.blocks : []));
  assert.ok(stored.some(({ type }) => type === "stored"));
});
