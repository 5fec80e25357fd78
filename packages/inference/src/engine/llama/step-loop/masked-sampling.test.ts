import assert from "node:assert/strict";
import { test } from "node:test";
import type { Constraint } from "../../../port/decode-program.ts";
import type { ConstraintSession } from "../../constraint/constraint-session.ts";
import { testContinuation } from "./test-evaluator.ts";
import { TestLoop, testJob } from "./test-loop.ts";

const prompt = Array.from({ length: 40 }, (_, index) => (index * 7) % 90);
const whole = (then: Constraint["then"]): Constraint => ({
  on: "start",
  source: { kind: "json_object" },
  then,
});

/** Allows one token per step, and is ready only when the test says so. */
class ScriptedSession implements ConstraintSession {
  readonly allowed: readonly number[];
  readonly accepted: number[] = [];
  isReady = true;
  failure: string | null = null;
  closed = false;

  constructor(allowed: readonly number[]) {
    this.allowed = allowed;
  }

  accept(tokenId: number): void {
    this.accepted.push(tokenId);
  }
  ready(): boolean {
    return this.isReady;
  }
  wait(): boolean {
    return this.isReady;
  }
  mask(): Uint32Array | null {
    const id = this.allowed[this.accepted.length];
    if (id === undefined) return null;
    const mask = new Uint32Array(4);
    mask[id >> 5] = (1 << (id & 31)) >>> 0;
    return mask;
  }
  finished(): boolean {
    return this.accepted.length >= this.allowed.length;
  }
  failed(): string | null {
    return this.failure;
  }
  close(): void {
    this.closed = true;
  }
}

function start(session: ScriptedSession): TestLoop {
  const loop = new TestLoop();
  loop.session = session;
  const { decode } = testJob("x", [1]);
  loop.loop.submit(testJob("masked", prompt, { decode: { ...decode, constraints: [whole("stop")] } }));
  return loop;
}

test("a mask decides, and a complete constraint ends the output", () => {
  const session = new ScriptedSession([11, 22, 33]);
  const loop = start(session);
  loop.run();
  assert.deepEqual(loop.tokens("masked"), [11, 22, 33]);
  const end = loop.end("masked");
  assert.deepEqual([end?.reason, end?.rule, end?.keep, end?.held?.length], ["stop", null, 3, 43]);
  assert.ok(session.closed);
});

test("a row whose mask is not ready waits alone and is then sampled from its own logits", () => {
  const session = new ScriptedSession([11, 22]);
  const loop = start(session);
  const other = prompt.map((id) => id + 1);
  loop.loop.submit(testJob("free", other, { root: "1".repeat(32) }));
  session.isReady = false;
  let outcome = "evaluated";
  for (let step = 0; step < 100 && outcome === "evaluated"; step += 1) outcome = loop.loop.step();
  assert.equal(outcome, "waiting");
  assert.deepEqual(loop.tokens("free"), testContinuation(other, 8));
  assert.deepEqual(loop.tokens("masked"), []);
  session.isReady = true;
  loop.run();
  assert.deepEqual(loop.tokens("masked"), [11, 22]);
});

test("a constraint that cannot be kept is the request's fault", () => {
  const session = new ScriptedSession([11]);
  session.failure = "no such rule";
  const loop = start(session);
  loop.run();
  const last = loop.events.get("masked")?.at(-1);
  assert.ok(last?.type === "error" && last.code === "invalid_request" && !last.retryable);
  assert.ok(session.closed);
});

test("cancelling while the mask is awaited ends it", () => {
  const session = new ScriptedSession([11]);
  session.isReady = false;
  const loop = start(session);
  for (let step = 0; step < 5; step += 1) loop.loop.step();
  loop.loop.cancel("masked");
  loop.run();
  assert.equal(loop.end("masked")?.reason, "cancelled");
});

test("forced ids need no constraint", () => {
  const loop = new TestLoop();
  const { decode } = testJob("x", [1]);
  const forced = Uint32Array.of(1, 2);
  loop.loop.submit(testJob("a", prompt, { decode: { ...decode, forced, constraints: [whole("stop")] } }));
  loop.run();
  assert.deepEqual(loop.tokens("a"), [1, 2]);
});
