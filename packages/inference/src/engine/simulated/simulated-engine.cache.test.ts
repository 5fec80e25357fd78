import assert from "node:assert/strict";
import { test } from "node:test";
import {
  collect,
  decodeProgram,
  engineRequest,
  FakeClock,
  simulatedModel,
  tokenRope,
} from "@slipstream-stack/testkit";
import fc from "fast-check";
import { PrefixHasher } from "../../kv/prefix-hash.ts";
import type { KvEvent } from "../../port/kv-event.ts";
import type { SimulatedEngine } from "./simulated-engine.ts";

/** A step of a random history: a prompt made from an earlier one, and what becomes of its result. */
interface Step {
  readonly from: number;
  readonly cut: number;
  readonly added: readonly number[];
  readonly maxTokens: number;
  readonly settle: "keep" | "shorter" | "refuse" | "dispose";
  readonly shorten: number;
  readonly gated: boolean;
  readonly useCache: boolean;
  readonly root: string;
}

const step: fc.Arbitrary<Step> = fc.record({
  from: fc.nat(1000),
  cut: fc.nat(1000),
  added: fc.array(fc.integer({ min: 10, max: 13 }), { minLength: 1, maxLength: 150 }),
  maxTokens: fc.integer({ min: 0, max: 80 }),
  settle: fc.constantFrom("keep", "shorter", "refuse", "dispose"),
  shorten: fc.nat(400),
  gated: fc.boolean(),
  useCache: fc.constant(true),
  root: fc.constantFrom("one", "two"),
});

const stepWithoutCache = step.map((made) => ({ ...made, useCache: made.from % 5 !== 0 }));

interface HeldModel {
  readonly root: string;
  readonly ids: readonly number[];
}

function common(first: readonly number[], second: readonly number[]): number {
  let length = 0;
  while (length < first.length && length < second.length && first[length] === second[length]) length++;
  return length;
}

/** What an engine with endless room should hold: every prefix that was ever kept, token by token. */
class NaiveCache {
  readonly held: HeldModel[] = [];
  readonly seen: HeldModel[] = [];

  cached(root: string, prompt: readonly number[]): number {
    const lengths = this.held.filter((one) => one.root === root).map(({ ids }) => common(ids, prompt));
    return Math.min(prompt.length - 1, Math.max(0, ...lengths));
  }

  prompt(made: Step): number[] {
    const origin = this.seen.length === 0 ? undefined : this.seen[made.from % this.seen.length];
    const ids = origin?.ids ?? [];
    return [...ids.slice(0, ids.length === 0 ? 0 : made.cut % (ids.length + 1)), ...made.added];
  }
}

/** Runs one step on both; returns what the engine said was cached and what it should have said. */
async function play(engine: SimulatedEngine, naive: NaiveCache, made: Step) {
  const prompt = naive.prompt(made);
  const expected = made.useCache ? naive.cached(made.root, prompt) : 0;
  const request = engineRequest(tokenRope(made.root, Uint32Array.from(prompt)), {
    decode: decodeProgram({ maxTokens: made.maxTokens }),
    gated: made.gated,
    useCache: made.useCache,
  });
  await using ticket = engine.submit(request);
  const outcome = await collect(ticket);
  const { end, admitted } = outcome;
  assert.ok(end !== null && admitted !== null);
  const whole = [...prompt, ...outcome.output];
  naive.seen.push({ root: made.root, ids: whole });
  if (end.held === null) return { actual: admitted.cached.hot, expected, end, whole };
  const heldIds = whole.slice(0, end.held.length);
  assert.equal(end.held.hash, tokenRope(made.root, Uint32Array.from(heldIds)).tip.hash);
  const keep = keptLength(made, end.held.length, prompt.length);
  if (made.settle === "keep") ticket.settle(end.held);
  if (made.settle === "refuse") ticket.settle(null);
  if (made.settle === "shorter") {
    ticket.settle(tokenRope(made.root, Uint32Array.from(heldIds.slice(0, keep))).tip);
  }
  naive.held.push({ root: made.root, ids: heldIds.slice(0, keep) });
  return { actual: admitted.cached.hot, expected, end, whole };
}

function keptLength(made: Step, held: number, prompt: number): number {
  if (made.settle === "refuse") return Math.min(held, prompt);
  if (made.settle === "shorter") return Math.max(1, held - made.shorten);
  return made.settle === "dispose" && made.gated ? Math.min(held, prompt) : held;
}

/** The set of blocks a listener ends up with. */
function replay(events: readonly KvEvent[]): Set<string> {
  const blocks = new Set<string>();
  for (const event of events) {
    if (event.type === "cleared") blocks.clear();
    else if (event.type === "stored") for (const block of event.blocks) blocks.add(`${event.tier} ${block}`);
    else for (const block of event.blocks) blocks.delete(`${event.tier} ${block}`);
  }
  return blocks;
}

async function drainEvents(events: AsyncIterable<KvEvent>): Promise<KvEvent[]> {
  const all: KvEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

function blocksOf(held: readonly HeldModel[]): Set<string> {
  const blocks = new Set<string>();
  for (const { root, ids } of held) {
    for (const { hash } of PrefixHasher.at(root).extend(Uint32Array.from(ids)).blocks)
      blocks.add(`hot ${hash}`);
  }
  return blocks;
}

test("with room enough, cached is exact to the token and events replay to exactly what is held", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(stepWithoutCache, { minLength: 1, maxLength: 25 }), async (steps) => {
      const { engine } = simulatedModel({ contextTokens: 100_000, capacityTokens: 10_000_000 });
      const listening = drainEvents(engine.kvEvents(null));
      const naive = new NaiveCache();
      for (const made of steps) {
        const { actual, expected, end, whole } = await play(engine, naive, made);
        assert.equal(actual, expected);
        const sampledRows = Math.max(0, made.maxTokens - 1);
        assert.equal(end.evaluated, whole.length - made.maxTokens - expected + sampledRows);
      }
      const late = drainEvents(engine.kvEvents(null));
      await engine.close(0);
      const expected = blocksOf(naive.held);
      assert.deepEqual(replay(await listening), expected);
      assert.deepEqual(replay(await late), expected);
      assert.ok(engine.load().kvTokensUsed <= naive.held.reduce((sum, { ids }) => sum + ids.length, 0));
    }),
    { numRuns: 150 },
  );
});

test("with little room, nothing exceeds the capacity and cached is never more than what was kept", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 5, maxLength: 30 }),
      fc.integer({ min: 4, max: 12 }),
      fc.boolean(),
      async (steps, blocks, parks) => {
        const capacityTokens = blocks * 64;
        const { engine } = simulatedModel({ capacityTokens, parkedTokens: parks ? 256 : 0 });
        const listening = drainEvents(engine.kvEvents(null));
        const naive = new NaiveCache();
        for (const made of steps) {
          const small = {
            ...made,
            cut: Math.min(made.cut, 90) % capacityTokens,
            maxTokens: made.maxTokens % 16,
          };
          const { actual, expected } = await play(engine, naive, small);
          assert.ok(actual <= expected);
          assert.ok(engine.load().kvTokensUsed <= capacityTokens);
          assert.ok(engine.load().parkedBytes <= engine.load().parkedBytesLimit);
        }
        const late = drainEvents(engine.kvEvents(null));
        await engine.close(0);
        assert.deepEqual(replay(await listening), replay(await late));
      },
    ),
    { numRuns: 100 },
  );
});

test("scopes with different roots never share, and a request without cache neither reads nor leaves any", async () => {
  const { engine } = simulatedModel();
  const ids = Uint32Array.from({ length: 200 }, (_, index) => 10 + index);
  const run = async (root: string, useCache: boolean) => {
    await using ticket = engine.submit(engineRequest(tokenRope(root, ids), { useCache }));
    return await collect(ticket);
  };
  const first = await run("one", false);
  assert.equal(first.end?.held, null);
  assert.equal(first.admitted?.missCause, "reuse_off");
  assert.equal((await run("one", true)).admitted?.cached.hot, 0);
  assert.equal((await run("two", true)).admitted?.cached.hot, 0);
  assert.equal((await run("one", true)).admitted?.cached.hot, 199);
  assert.equal((await run("one", false)).admitted?.cached.hot, 0);
});

test("what had to go is parked when there is room for that, and counts as cached in RAM when it returns", async () => {
  const clock = new FakeClock();
  const { engine } = simulatedModel({ clock, contextTokens: 256, capacityTokens: 256, parkedTokens: 512 });
  const run = async (root: string) => {
    await clock.advance(1);
    const prompt = tokenRope(
      root,
      Uint32Array.from({ length: 128 }, (_, index) => 10 + index),
    );
    await using ticket = engine.submit(engineRequest(prompt, { decode: decodeProgram({ maxTokens: 0 }) }));
    return await collect(ticket);
  };
  await run("one");
  await run("two");
  await run("three");
  assert.equal(engine.load().parked, 1);
  assert.equal(engine.load().parkedBytes, 128 * 1024);
  const again = await run("one");
  assert.deepEqual(again.admitted?.cached, { hot: 0, ram: 127, disk: 0, remote: 0 });
  assert.equal(again.end?.evaluated, 1);
});

test("an evicted prefix is told as the cause of a miss, and so is a restart", async () => {
  const { engine } = simulatedModel({ contextTokens: 256, capacityTokens: 256 });
  const run = async (root: string) => {
    const prompt = tokenRope(
      root,
      Uint32Array.from({ length: 200 }, (_, index) => 10 + index),
    );
    await using ticket = engine.submit(engineRequest(prompt));
    return await collect(ticket);
  };
  assert.equal((await run("one")).admitted?.missCause, null);
  assert.equal((await run("two")).admitted?.missCause, null);
  assert.equal((await run("one")).admitted?.missCause, "base_evicted");
  engine.crash();
  assert.equal((await run("one")).admitted?.missCause, "engine_restarted");
});

test("hints decide what goes first: dead before idle before the rest before soon", async () => {
  const { engine } = simulatedModel({ contextTokens: 256, capacityTokens: 512 });
  const prompt = (root: string) =>
    tokenRope(
      root,
      Uint32Array.from({ length: 128 }, (_, index) => 10 + index),
    );
  const run = async (root: string) => {
    await using ticket = engine.submit(
      engineRequest(prompt(root), { decode: decodeProgram({ maxTokens: 0 }) }),
    );
    return await collect(ticket);
  };
  for (const root of ["soon", "plain", "idle", "dead"]) await run(root);
  for (const kind of ["soon", "idle", "dead"] as const) engine.hint("default", prompt(kind).tip, { kind });
  const gone: string[] = [];
  for (const newcomer of ["a", "b", "c"]) {
    await run(newcomer);
    engine.hint("default", prompt(newcomer).tip, { kind: "soon" });
    for (const root of ["dead", "idle", "plain", "soon"]) {
      if (gone.includes(root)) continue;
      const snapshot = await snapshotOf(engine);
      if (!snapshot.has(prompt(root).tip.hash)) gone.push(root);
    }
  }
  assert.deepEqual(gone, ["dead", "idle", "plain"]);
});

/** Blocks held now, as a new listener is told. */
async function snapshotOf(engine: SimulatedEngine): Promise<Set<string>> {
  const blocks = new Set<string>();
  const iterator = engine.kvEvents(null)[Symbol.asyncIterator]();
  const used = engine.load().kvTokensUsed / 64;
  for (let count = -1; count < used; count++) {
    const { value } = await iterator.next();
    if (value?.type === "stored") for (const block of value.blocks) blocks.add(block);
  }
  return blocks;
}
