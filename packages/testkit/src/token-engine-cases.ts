import assert from "node:assert/strict";
import type { EngineRequest, TokenEngine } from "@slipstream-stack/inference";
import { collect, collectAndKeep, type TicketOutcome } from "./collect-ticket.ts";
import { decodeProgram, engineRequest } from "./engine-request.ts";
import { tokenRope } from "./token-rope.ts";

/** What a case needs of the engine under test. */
export interface EngineUnderTest {
  readonly engine: TokenEngine;
  /** So many ids of plain text, without structural tokens; another variant begins with another id. */
  readonly ids: (count: number, variant: number) => Uint32Array;
}

/** One promise of the `TokenEngine` port, as a check that throws where it is broken. */
export interface EngineCase {
  readonly name: string;
  readonly run: (under: EngineUnderTest) => Promise<void>;
}

let roots = 0;

/** A hash root that no other case uses, so that cases share an engine and no state. */
function freshRoot(): string {
  roots++;
  return roots.toString(16).padStart(32, "0");
}

async function outcomeOf({ engine }: EngineUnderTest, request: EngineRequest): Promise<TicketOutcome> {
  await using ticket = engine.submit(request);
  return await collectAndKeep(ticket);
}

function join(...parts: readonly ArrayLike<number>[]): Uint32Array {
  return Uint32Array.from(parts.flatMap((part) => Array.from(part)));
}

function cachedOf({ admitted }: TicketOutcome): number {
  const { hot = 0, ram = 0, disk = 0, remote = 0 } = admitted?.cached ?? {};
  return hot + ram + disk + remote;
}

function lap(root: string, ids: Uint32Array, cuts: readonly number[], changes: Partial<EngineRequest> = {}) {
  const decode = decodeProgram({ maxTokens: 6 });
  return engineRequest(tokenRope(root, ids, cuts), { decode, ...changes });
}

const order = async (under: EngineUnderTest) => {
  const { events } = await outcomeOf(under, lap(freshRoot(), under.ids(150, 1), []));
  const told = events.map(({ type }) => type).join(" ");
  assert.match(told, /^admitted( prefill)*( tokens)+ end$/);
};

const extension = async (under: EngineUnderTest) => {
  const root = freshRoot();
  const prompt = under.ids(100, 1);
  const first = await outcomeOf(under, lap(root, prompt, []));
  const held = first.end?.held?.length ?? 0;
  assert.equal(held, prompt.length + first.sampled.length - 1);
  const next = join(prompt, first.output, under.ids(30, 2));
  const second = await outcomeOf(under, lap(root, next, [prompt.length, held]));
  assert.equal(cachedOf(second), held);
  assert.equal(second.end?.evaluated, next.length - held + second.sampled.length - 1);
};

const fork = async (under: EngineUnderTest) => {
  const root = freshRoot();
  const head = under.ids(100, 1);
  await outcomeOf(under, lap(root, join(head, under.ids(40, 2)), [head.length]));
  const branch = await outcomeOf(under, lap(root, join(head, under.ids(40, 3)), [head.length]));
  assert.equal(cachedOf(branch), head.length);
};

const withoutFork = async (under: EngineUnderTest) => {
  const root = freshRoot();
  const alone = { mayFork: false };
  const head = under.ids(100, 1);
  const first = await outcomeOf(under, lap(root, join(head, under.ids(40, 2)), [head.length], alone));
  const tip = join(head, under.ids(40, 2), first.output);
  const ends = [head.length, head.length + 40, tip.length];
  const branches = [3, 4].map((variant) => lap(root, join(head, under.ids(40, variant)), ends, alone));
  for (const branch of await Promise.all(branches.map((request) => outcomeOf(under, request)))) {
    assert.equal(cachedOf(branch), 0);
    assert.equal(branch.end?.evaluated, 140 + branch.sampled.length - 1);
  }
  const next = await outcomeOf(under, lap(root, join(tip, under.ids(10, 5)), ends, alone));
  assert.equal(cachedOf(next), first.end?.held?.length);
};

const lastToken = async (under: EngineUnderTest) => {
  const root = freshRoot();
  const prompt = under.ids(128, 1);
  await outcomeOf(under, lap(root, prompt, []));
  assert.equal(cachedOf(await outcomeOf(under, lap(root, prompt, []))), prompt.length - 1);
};

const scopes = async (under: EngineUnderTest) => {
  const prompt = under.ids(100, 1);
  await outcomeOf(under, lap(freshRoot(), prompt, []));
  assert.equal(cachedOf(await outcomeOf(under, lap(freshRoot(), prompt, []))), 0);
};

const withoutCache = async (under: EngineUnderTest) => {
  const root = freshRoot();
  const prompt = under.ids(100, 1);
  const first = await outcomeOf(under, lap(root, prompt, [], { useCache: false }));
  assert.equal(first.end?.held, null);
  assert.equal(cachedOf(await outcomeOf(under, lap(root, prompt, []))), 0);
  const third = await outcomeOf(under, lap(root, prompt, [], { useCache: false }));
  assert.equal(cachedOf(third), 0);
  assert.equal(third.end?.evaluated, prompt.length + third.sampled.length - 1);
};

const prefillOnly = async (under: EngineUnderTest) => {
  const prompt = under.ids(100, 1);
  const decode = decodeProgram({ maxTokens: 0 });
  const { end, sampled } = await outcomeOf(under, lap(freshRoot(), prompt, [], { decode }));
  assert.deepEqual([sampled.length, end?.keep, end?.held?.length, end?.evaluated], [0, 0, 100, 100]);
};

const refusal = async (under: EngineUnderTest) => {
  const root = freshRoot();
  const prompt = under.ids(100, 1);
  await using ticket = under.engine.submit(lap(root, prompt, [], { gated: true }));
  const { output } = await collect(ticket);
  ticket.settle(null);
  const next = lap(root, join(prompt, output, under.ids(10, 2)), [prompt.length]);
  assert.equal(cachedOf(await outcomeOf(under, next)), prompt.length);
};

const forcing = async (under: EngineUnderTest) => {
  const forced = under.ids(12, 4);
  const decode = decodeProgram({ maxTokens: 12, forced, logprobs: true });
  const { sampled, events } = await outcomeOf(under, lap(freshRoot(), under.ids(70, 1), [], { decode }));
  assert.deepEqual(sampled, [...forced]);
  const steps = events.filter((event) => event.type === "tokens");
  assert.equal(steps.length, forced.length);
  for (const { logprobs } of steps) assert.ok((logprobs?.[0] ?? 1) <= 0);
};

const stopToken = async (under: EngineUnderTest) => {
  const forced = under.ids(8, 4);
  const stop = forced[5] ?? 0;
  const decode = decodeProgram({ maxTokens: 20, forced, stopTokens: [stop] });
  const { end } = await outcomeOf(under, lap(freshRoot(), under.ids(70, 1), [], { decode }));
  assert.deepEqual([end?.reason, end?.rule, end?.keep], ["stop", 0, forced.indexOf(stop)]);
  assert.equal(end?.held?.length, 70 + forced.indexOf(stop));
};

const impossible = async (under: EngineUnderTest) => {
  const { contextLength } = under.engine.info();
  for (const length of [0, contextLength + 1]) {
    const { error } = await outcomeOf(under, lap(freshRoot(), under.ids(length, 1), []));
    assert.deepEqual([error?.code, error?.retryable], ["invalid_request", false]);
  }
};

const cancelling = async (under: EngineUnderTest) => {
  const decode = decodeProgram({ maxTokens: 400, forced: under.ids(400, 3) });
  await using ticket = under.engine.submit(lap(freshRoot(), under.ids(70, 1), [], { decode }));
  let told = 0;
  let last = "";
  for await (const event of ticket.events) {
    last = event.type === "end" ? event.reason : event.type;
    if (event.type === "tokens" && ++told === 3) ticket.cancel();
  }
  assert.equal(last, "cancelled");
  assert.ok(told < 400);
};

const sharing = async (under: EngineUnderTest) => {
  const root = freshRoot();
  const head = under.ids(400, 1);
  const branches = [2, 3, 4].map((variant) => lap(root, join(head, under.ids(5, variant)), [head.length]));
  const outcomes = await Promise.all(branches.map((request) => outcomeOf(under, request)));
  const evaluated = outcomes.reduce((sum, { end }) => sum + (end?.evaluated ?? 0), 0);
  const sampled = outcomes.reduce((sum, outcome) => sum + outcome.sampled.length - 1, 0);
  assert.equal(evaluated, head.length + 3 * 5 + sampled);
};

const cacheEvents = async (under: EngineUnderTest) => {
  if (!under.engine.info().can.has("kvEvents")) return;
  const { epoch } = under.engine.info();
  const rope = tokenRope(freshRoot(), under.ids(200, 1));
  await outcomeOf(under, engineRequest(rope, { decode: decodeProgram({ maxTokens: 1 }) }));
  const wanted = new Set(
    [...rope.boundaries()].filter(({ length }) => length % 64 === 0).map(({ hash }) => hash),
  );
  let last: bigint | null = null;
  for await (const event of under.engine.kvEvents(null)) {
    assert.equal(event.epoch, epoch);
    if (last === null) assert.equal(event.type, "cleared");
    else assert.equal(event.seq, last + 1n);
    last = event.seq;
    if (event.type === "stored") for (const block of event.blocks) wanted.delete(block);
    if (wanted.size === 0) break;
  }
};

/**
 * The promises of the `TokenEngine` port, one case each: every driver runs the same table. The cases share one
 * engine; each uses a hash root of its own.
 */
export const tokenEngineCases: readonly EngineCase[] = [
  { name: "events come in order: admitted, prefill, tokens, and one end", run: order },
  { name: "a lap that extends the last one evaluates only what is new", run: extension },
  { name: "a fork shares exactly the head", run: fork },
  { name: "without forks an idle tip is extended and nothing is shared", run: withoutFork },
  { name: "of a prompt that is held whole the last token is evaluated anew", run: lastToken },
  { name: "two roots share nothing", run: scopes },
  { name: "a request without cache reads nothing and leaves nothing", run: withoutCache },
  { name: "no tokens asked for means prefill and nothing else", run: prefillOnly },
  { name: "a refused output is gone and its prompt stays", run: refusal },
  { name: "forced ids are taken one step each, with their log probabilities", run: forcing },
  { name: "a stop token ends the output and is not kept", run: stopToken },
  { name: "an impossible prompt is an invalid_request", run: impossible },
  { name: "a cancelled request ends soon and says so", run: cancelling },
  { name: "requests that come together evaluate their common head once", run: sharing },
  { name: "cache events count without gaps and name the blocks held", run: cacheEvents },
];
