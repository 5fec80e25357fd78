import assert from "node:assert/strict";
import { test } from "node:test";
import type { KvEvent } from "../../../port/kv-event.ts";
import { collect } from "../test-collect.ts";
import { KvMirror } from "./kv-mirror.ts";

const stored = (parent: string, ...blocks: string[]) =>
  ({ type: "stored", tier: "hot", parent, blocks }) as const;
const removed = (...blocks: string[]) => ({ type: "removed", tier: "hot", blocks }) as const;

const replay = (events: readonly KvEvent[]): Set<string> => {
  const held = new Set<string>();
  for (const event of events) {
    if (event.tier !== "hot") continue;
    if (event.type === "cleared") held.clear();
    else if (event.type === "stored") for (const block of event.blocks) held.add(block);
    else for (const block of event.blocks) held.delete(block);
  }
  return held;
};

async function readAll(mirror: KvMirror, from: { epoch: string; seq: bigint } | null, act: () => void) {
  const events = collect(mirror.listen(from));
  await Promise.resolve();
  act();
  mirror.close();
  return await events;
}

test("a new listener gets a snapshot, then every event in sequence", async () => {
  const mirror = new KvMirror("e1");
  mirror.apply([stored("root", "a", "b"), removed("b")]);
  const events = await readAll(mirror, null, () => mirror.apply([stored("a", "c")]));
  assert.deepEqual(replay(events), new Set(["a", "c"]));
  assert.equal(events.at(-1)?.seq, 3n);
  assert.ok(mirror.has("c") && !mirror.has("b"));
});

test("a listener that is up to date gets only what is new", async () => {
  const mirror = new KvMirror("e1");
  mirror.apply([stored("root", "a")]);
  const events = await readAll(mirror, { epoch: "e1", seq: 1n }, () => mirror.apply([stored("a", "b")]));
  assert.deepEqual(
    events.map(({ type, seq }) => [type, seq]),
    [["stored", 2n]],
  );
});

test("a new epoch clears, and an old position means a snapshot", async () => {
  const mirror = new KvMirror("e1");
  mirror.apply([stored("root", "a")]);
  mirror.restart("e2");
  mirror.apply([stored("root", "z")]);
  const events = await readAll(mirror, { epoch: "e1", seq: 1n }, () => {});
  assert.deepEqual(replay(events), new Set(["z"]));
  assert.ok(events.every(({ epoch }) => epoch === "e2"));
});

test("a listener that falls behind starts over from a snapshot", async () => {
  const mirror = new KvMirror("e1");
  const events = await readAll(mirror, null, () => {
    for (let index = 0; index < 25_000; index += 1)
      mirror.apply([stored("root", `b${index}`), removed(`b${index}`)]);
    mirror.apply([stored("root", "last")]);
  });
  assert.deepEqual(replay(events), new Set(["last"]));
  assert.ok(events.length < 25_000);
});
