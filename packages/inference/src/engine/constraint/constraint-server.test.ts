import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { ConstraintSource } from "../../port/decode-program.ts";
import type { ConstraintMessage } from "./constraint-message.ts";
import { ConstraintServer } from "./constraint-server.ts";
import { packVocabulary } from "./packed-vocabulary.ts";
import { SharedAnswer } from "./shared-answer.ts";
import { SharedHealth } from "./shared-health.ts";
import { admitted, testVocabulary, tokenOf } from "./test-vocabulary.ts";
import { loadXGrammar } from "./xgrammar-library.ts";

const abc: ConstraintSource = { kind: "ebnf", text: 'root ::= "a" "b" "c"' };
const bad: ConstraintSource = { kind: "json_schema", schema: { type: "odd" } };

function serve(maxCompiledBytes = 1e9) {
  const health = new SharedHealth();
  const setup = {
    vocabulary: packVocabulary(testVocabulary),
    health: health.buffer,
    maxCompiled: 10,
    maxCompiledBytes,
    refused: new Map<string, string>(),
  };
  const server = new ConstraintServer(setup, loadXGrammar());
  server.receive({ kind: "define", source: 1, value: abc });
  server.receive({ kind: "define", source: 2, value: bad });
  return { server, health };
}

function begin(
  session: number,
  answer: SharedAnswer,
  rest: Partial<Extract<ConstraintMessage, { kind: "begin" }>> = {},
) {
  const head = new Uint8Array(0);
  const message = {
    session,
    question: 1,
    source: 1,
    afterwards: "stop",
    head,
    tokens: [],
    last: null,
    ...rest,
  } as const;
  return { kind: "begin", answer: answer.buffer, ...message } as const;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await setImmediate();
}

const room = () => SharedAnswer.allocate(testVocabulary.pieces.length);

test("answers a beginning and each token in turn", async () => {
  const { server } = serve();
  const answer = room();
  server.receive(begin(1, answer));
  server.receive({ kind: "accept", session: 1, question: 2, token: tokenOf("a") });
  await until(() => answer.answered(2));
  assert.equal(answer.state, "masked");
  assert.deepEqual(admitted(answer.mask), [tokenOf("b")]);
});

test("takes a stretch up again from its head, its tokens and the last one", async () => {
  const { server } = serve();
  const [middle, whole, misfit] = [room(), room(), room()];
  server.receive(begin(1, middle, { head: Buffer.from("a"), tokens: [tokenOf("b")] }));
  server.receive(begin(2, whole, { head: Buffer.from("a"), tokens: [tokenOf("b")], last: tokenOf("c") }));
  server.receive(begin(3, misfit, { tokens: [tokenOf("b")] }));
  await until(() => misfit.answered(1));
  assert.deepEqual(admitted(middle.mask), [tokenOf("c")]);
  assert.equal(whole.state, "complete");
  assert.equal(misfit.state, "failed");
});

test("a head that does not fit is not taken", async () => {
  const { server } = serve();
  const answer = room();
  server.receive(begin(1, answer, { head: Buffer.from("x") }));
  await until(() => answer.answered(1));
  assert.equal(answer.state, "not_taken");
});

test("a source is looked up when the message comes, forgotten or not thereafter", async () => {
  const { server } = serve();
  const [before, after] = [room(), room()];
  server.receive(begin(1, before));
  server.receive({ kind: "forget", source: 1 });
  server.receive(begin(2, after));
  await until(() => after.answered(1));
  assert.equal(before.state, "masked");
  assert.equal(after.state, "failed");
});

test("an ended session is answered no more", async () => {
  const { server } = serve();
  const [ended, other] = [room(), room()];
  server.receive(begin(2, other));
  server.receive(begin(1, ended));
  server.receive({ kind: "end", session: 1 });
  server.receive({ kind: "accept", session: 1, question: 2, token: tokenOf("a") });
  server.receive({ kind: "accept", session: 2, question: 2, token: tokenOf("a") });
  await until(() => other.answered(2));
  assert.equal(ended.answered(1), false);
  assert.equal(ended.answered(2), false);
});

test("an abort answers its session, says what broke, and then nothing is answered", async () => {
  const { server, health } = serve();
  const [broken, later] = [room(), room()];
  server.receive(begin(1, broken, { source: 2 }));
  server.receive(begin(2, later));
  await until(() => broken.answered(1));
  assert.equal(broken.state, "failed");
  assert.notEqual(broken.reason, "");
  assert.equal(health.health, "poisoned");
  assert.match(health.compiling.get(), /^[\da-f]{32}$/);
  assert.equal(health.reason.get(), broken.reason);
  for (let turn = 0; turn < 20; turn += 1) await setImmediate();
  assert.equal(later.answered(1), false);
});

test("what a session waits for goes before what is prepared", async () => {
  const { server, health } = serve();
  const answer = room();
  server.receive(begin(1, answer));
  server.receive({ kind: "prepare", source: 2 });
  server.receive({ kind: "accept", session: 1, question: 2, token: tokenOf("a") });
  await until(() => answer.answered(2));
  assert.equal(answer.state, "masked");
  await until(() => health.health === "poisoned");
});

test("says when its memory is past the limit", async () => {
  const { server, health } = serve(1);
  const answer = room();
  server.receive(begin(1, answer));
  await until(() => answer.answered(1));
  await until(() => health.health === "bloated");
  assert.equal(answer.state, "masked");
});
