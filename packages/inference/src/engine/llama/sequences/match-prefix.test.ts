import assert from "node:assert/strict";
import { test } from "node:test";
import { matchPlanned, matchPrefix, resolveRef } from "./match-prefix.ts";
import type { Sequence } from "./sequence.ts";
import { TokenLog } from "./token-log.ts";

const root = "a".repeat(32);
const ids = (...values: number[]): Uint32Array => Uint32Array.from(values);

function sequence(tokens: readonly number[], changes: Partial<Sequence> = {}): Sequence {
  return {
    tokens: new TokenLog(root, Uint32Array.from(tokens)),
    evaluated: tokens.length,
    slot: 0,
    state: null,
    owner: null,
    tenancy: 0,
    usedAt: 0,
    retain: null,
    visible: Number.MAX_SAFE_INTEGER,
    announced: 0,
    ...changes,
  };
}

test("the deepest match wins, and one prompt token is always left", () => {
  const short = sequence([1, 2]);
  const long = sequence([1, 2, 3, 4]);
  const match = matchPrefix([short, long], root, ids(1, 2, 3, 4), 1);
  assert.equal(match?.sequence, long);
  assert.equal(match?.length, 3);
  assert.equal(matchPrefix([short, long], root, ids(9), 1), null);
  assert.equal(matchPrefix([short, long], "b".repeat(32), ids(1, 2, 3), 1), null);
});

test("of equal matches: the tip that can be extended, then the resident one, then the newest", () => {
  const prompt = ids(1, 2, 3, 4);
  const busy = sequence([1, 2, 3], { owner: "x" });
  const parked = sequence([1, 2, 3], { slot: null, state: new Uint8Array(1) });
  const longer = sequence([1, 2, 3, 9], { usedAt: 5 });
  const newest = sequence([1, 2, 3, 8], { usedAt: 6 });
  assert.equal(matchPrefix([busy, longer, parked], root, prompt, 1)?.sequence, parked);
  assert.equal(matchPrefix([busy, longer, newest], root, prompt, 1)?.sequence, newest);
});

test("without forks only an idle sequence that ends within the prompt serves, however short", () => {
  const prompt = ids(1, 2, 3, 4, 5);
  const tip = sequence([1, 2]);
  const others = [sequence([1, 2, 3, 9]), sequence([1, 2, 3, 4], { owner: "x" }), sequence([1, 2, 3, 4, 5])];
  assert.equal(matchPrefix([...others, tip], root, prompt, 1, false)?.sequence, tip);
  assert.equal(matchPrefix(others, root, prompt, 1, false), null);
  assert.equal(matchPrefix(others, root, prompt, 1)?.length, 4);
});

test("only evaluated and visible tokens can be shared", () => {
  const prompt = ids(1, 2, 3, 4, 5);
  assert.equal(matchPrefix([sequence([1, 2, 3, 4], { evaluated: 2 })], root, prompt, 1)?.length, 2);
  assert.equal(matchPrefix([sequence([1, 2, 3, 4], { visible: 3 })], root, prompt, 1)?.length, 3);
  assert.equal(matchPrefix([sequence([1, 2, 3, 4], { visible: 0 })], root, prompt, 1), null);
});

test("a running prefill counts with what it plans, if that is worth the wait", () => {
  const prompt = ids(1, 2, 3, 4, 5, 6, 7);
  const running = sequence([1, 2, 3, 4, 5, 6], { owner: "x", evaluated: 1 });
  assert.equal(matchPlanned([running], root, prompt, 1, 4)?.planned, 6);
  assert.equal(matchPlanned([running], root, prompt, 3, 4), null);
  assert.equal(matchPlanned([sequence([1, 2, 3, 4, 5, 6], { evaluated: 1 })], root, prompt, 0, 1), null);
});

test("a named prefix is resolved to the deepest that stands, planned tokens included", () => {
  const log = new TokenLog(root, ids(1, 2, 3, 4, 5));
  const held = sequence([1, 2, 3], { evaluated: 1, owner: "x" });
  const refs = [log.ref(2), log.ref(5), log.ref(3)];
  assert.equal(resolveRef([held], root, refs)?.ref.length, 3);
  assert.equal(resolveRef([held], "b".repeat(32), refs), null);
  assert.equal(resolveRef([sequence([1, 2, 3], { visible: 2 })], root, refs)?.ref.length, 2);
  assert.equal(resolveRef([held], root, []), null);
});
