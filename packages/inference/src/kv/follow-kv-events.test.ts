import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock, settleMicrotasks } from "@slipstream-stack/testkit";
import type { KvEvent } from "../port/kv-event.ts";
import { followKvEvents } from "./follow-kv-events.ts";
import { KvIndex } from "./kv-index.ts";

const at = (seq: bigint, epoch = "e") => ({ epoch, seq, tier: "hot" as const });
const cleared = (seq: bigint, epoch?: string): KvEvent => ({ ...at(seq, epoch), type: "cleared" });
const stored = (seq: bigint, block: string, epoch?: string): KvEvent => ({
  ...at(seq, epoch),
  type: "stored",
  parent: null,
  blocks: [block],
});

/** An engine that plays one list of events for each time it is listened to; "fail" breaks, "wait" never ends. */
function scripted(...plays: readonly (readonly (KvEvent | "fail" | "wait")[])[]) {
  let opened = 0;
  const held = Promise.withResolvers<void>();
  return {
    opened: () => opened,
    end: held.resolve,
    async *kvEvents(): AsyncGenerator<KvEvent> {
      for (const event of plays[opened++] ?? []) {
        if (event === "fail") throw new Error("broken");
        if (event === "wait") await held.promise;
        else yield event;
      }
    },
  };
}

function heldBlocks(index: KvIndex, ...blocks: string[]): string[] {
  return blocks.filter((hash) => index.heldBy(["w"], [{ hash, length: 64 }]).get("w") === 64);
}

test("a gap in the numbers starts over, and nothing of before it is believed", async () => {
  const index = new KvIndex();
  const engine = scripted(
    [cleared(1n), stored(2n, "a"), stored(4n, "c")],
    [cleared(9n), stored(10n, "b"), "wait"],
  );
  const following = followKvEvents(index, "w", engine, new FakeClock(), new AbortController().signal);
  await settleMicrotasks();
  assert.equal(engine.opened(), 2);
  assert.deepEqual(heldBlocks(index, "a", "b", "c"), ["b"]);
  engine.end();
  await following;
  assert.deepEqual(heldBlocks(index, "a", "b", "c"), []);
});

test("another epoch without `cleared` is a gap too", async () => {
  const index = new KvIndex();
  const engine = scripted([cleared(1n), stored(2n, "a"), stored(3n, "b", "f")], [cleared(1n, "f"), "wait"]);
  const following = followKvEvents(index, "w", engine, new FakeClock(), new AbortController().signal);
  await settleMicrotasks();
  assert.equal(engine.opened(), 2);
  assert.deepEqual(heldBlocks(index, "a", "b"), []);
  engine.end();
  await following;
});

test("a broken stream is opened again after a pause, until the signal aborts", async () => {
  const clock = new FakeClock();
  const stop = new AbortController();
  const engine = scripted(["fail"], ["fail"], ["fail"]);
  const following = followKvEvents(new KvIndex(), "w", engine, clock, stop.signal);
  await clock.advance(10);
  assert.equal(engine.opened(), 1);
  await clock.advance(1000);
  assert.equal(engine.opened(), 2);
  stop.abort();
  await following;
  assert.equal(clock.sleeping, 0);
});
