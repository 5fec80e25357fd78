import assert from "node:assert/strict";
import { test } from "node:test";
import { settleMicrotasks } from "@slipstream-stack/testkit";
import type { KvEvent } from "../port/kv-event.ts";
import { type HeldBlock, KvEventLog } from "./kv-event-log.ts";

const held: HeldBlock[] = [
  { tier: "hot", parent: "root", hash: "x" },
  { tier: "ram", parent: "x", hash: "y" },
];

function read(log: KvEventLog, from: { epoch: string; seq: bigint } | null) {
  const events: KvEvent[] = [];
  const done = (async () => {
    for await (const event of log.read(from)) events.push(event);
  })();
  return { events, done };
}

function store(log: KvEventLog, block: string): void {
  log.append({ type: "stored", tier: "hot", parent: null, blocks: [block] });
}

test("a listener that keeps up gets each event once, numbered without gaps, until the end", async () => {
  const log = new KvEventLog("e", 10, () => []);
  store(log, "a");
  const { events, done } = read(log, { epoch: "e", seq: 0n });
  await settleMicrotasks();
  store(log, "b");
  store(log, "c");
  await settleMicrotasks();
  log.close();
  await done;
  assert.deepEqual(
    events.map(({ seq }) => seq),
    [1n, 2n, 3n],
  );
});

test("a new listener is told to clear and what is held, ending at the last number", async () => {
  const log = new KvEventLog("e", 10, () => held);
  for (const block of ["a", "b", "c", "d"]) store(log, block);
  const { events, done } = read(log, null);
  await settleMicrotasks();
  store(log, "e");
  log.close();
  await done;
  assert.deepEqual(
    events.map(({ type }) => type),
    ["cleared", "stored", "stored", "stored"],
  );
  assert.deepEqual(
    events.map(({ seq }) => seq),
    [2n, 3n, 4n, 5n],
  );
  assert.deepEqual(
    events.map(({ tier }) => tier),
    ["hot", "hot", "ram", "hot"],
  );
});

test("a listener too far behind, of another epoch or of the future starts over", async () => {
  for (const from of [
    { epoch: "e", seq: 1n },
    { epoch: "other", seq: 49n },
    { epoch: "e", seq: 99n },
  ]) {
    const log = new KvEventLog("e", 10, () => held);
    for (let block = 0; block < 50; block++) store(log, `block ${block}`);
    const { events, done } = read(log, from);
    log.close();
    await done;
    assert.equal(events[0]?.type, "cleared");
    assert.equal(events.at(-1)?.seq, 50n);
  }
});

test("a restart is heard as cleared under the new epoch", async () => {
  const log = new KvEventLog("e1", 10, () => [{ tier: "hot", parent: "root", hash: "b" }]);
  store(log, "a");
  const { events, done } = read(log, { epoch: "e1", seq: 1n });
  await settleMicrotasks();
  log.restart("e2");
  store(log, "b");
  log.close();
  await done;
  assert.deepEqual(
    events.map(({ epoch, type }) => `${epoch} ${type}`),
    ["e2 cleared", "e2 stored"],
  );
});
