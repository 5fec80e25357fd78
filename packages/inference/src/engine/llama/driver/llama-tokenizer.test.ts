import assert from "node:assert/strict";
import { test } from "node:test";
import { InferenceError } from "../../../errors.ts";
import type { ToChild } from "../../wire/messages.ts";
import { LlamaTokenizer } from "./llama-tokenizer.ts";

const vocabulary = {
  pieces: [],
  structural: new Map(),
  endOfGeneration: [],
  beginOfText: null,
  addBeginOfText: false,
};
const segments = [{ text: "hello", special: false }];

function create(answer: (tokenizer: LlamaTokenizer, message: ToChild, call: number) => void): LlamaTokenizer {
  let calls = 0;
  const send = (message: ToChild): void => {
    calls += 1;
    answer(tokenizer, message, calls);
  };
  const tokenizer: LlamaTokenizer = new LlamaTokenizer("f", vocabulary, {
    ready: async () => ({ send }),
    silent: () => tokenizer.childEnded(),
  });
  return tokenizer;
}

test("answers find their calls, in any order", async () => {
  const waiting: number[] = [];
  const tokenizer = create((self, message) => {
    assert.ok(message.type === "encode");
    waiting.push(message.call);
    if (waiting.length < 2) return;
    for (const call of waiting.toReversed())
      self.receive({ type: "encoded", call, ids: [Uint32Array.of(call)] });
  });
  const [one, two] = await Promise.all([tokenizer.encode(segments), tokenizer.encode(segments)]);
  assert.deepEqual([one?.[0]?.[0], two?.[0]?.[0]], [1, 2]);
  assert.deepEqual(await tokenizer.encode([]), []);
});

test("a child that dies meanwhile is asked again, a few times", async () => {
  const tokenizer = create((self, message, call) => {
    if (call < 3) self.childEnded();
    else if (message.type === "encode") self.receive({ type: "encoded", call: message.call, ids: [] });
  });
  assert.deepEqual(await tokenizer.encode(segments), []);
  const hopeless = create((self) => self.childEnded());
  await assert.rejects(hopeless.encode(segments), (error) => InferenceError.isInstance(error));
});

test("a segment that is no token is refused with its code, once", async () => {
  let calls = 0;
  const tokenizer = create((self, message) => {
    calls += 1;
    if (message.type !== "encode") return;
    self.receive({ type: "failed", call: message.call, code: "model_unsupported", message: "no" });
  });
  await assert.rejects(
    tokenizer.encode([{ text: "<x>", special: true }]),
    (error) => InferenceError.isInstance(error) && error.code === "model_unsupported",
  );
  assert.equal(calls, 1);
});

test("a child that never answers is replaced and asked again", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const tokenizer = create((self, message, call) => {
    if (call === 1) setImmediate(() => context.mock.timers.tick(60_000));
    else if (message.type === "encode") self.receive({ type: "encoded", call: message.call, ids: [] });
  });
  assert.deepEqual(await tokenizer.encode(segments), []);
});
