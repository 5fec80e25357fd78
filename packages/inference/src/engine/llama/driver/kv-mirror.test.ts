import assert from "node:assert/strict";
import { test } from "node:test";
import type { KvEvent } from "../../../port/kv-event.ts";
import { collect } from "../test-collect.ts";
import { KvMirror } from "./kv-mirror.ts";

const stored = (parent: string, ...blocks: string[]) =>
  ({ type: "stored", tier: "hot", parent, blocks }) as const;
const removed = (...blocks: string[]) => ({ type: "removed", tier: "hot", blocks }) as const;

async function replay(mirror: KvMirror): Promise<{ held: Set<string>; events: KvEvent[] }> {
  const reading = collect(mirror.listen(null));
  mirror.close();
  const events = await reading;
  const held = new Set<string>();
  for (const event of events) {
    if (event.type === "cleared") held.clear();
    else if (event.type === "stored") for (const block of event.blocks) held.add(`${event.tier} ${block}`);
    else for (const block of event.blocks) held.delete(`${event.tier} ${block}`);
  }
  return { held, events };
}

test("it knows what is held in any tier, and tells a new listener", async () => {
  const mirror = new KvMirror("e1");
  mirror.apply([stored("root", "a", "b"), removed("b"), { ...stored("a", "c"), tier: "ram" }]);
  assert.deepEqual(
    ["a", "b", "c"].map((block) => mirror.has(block)),
    [true, false, true],
  );
  const { held } = await replay(mirror);
  assert.deepEqual(held, new Set(["hot a", "ram c"]));
});

test("parents come before their children, also where they were stored after them", async () => {
  const mirror = new KvMirror("e1");
  mirror.apply([stored("root", "a", "b", "c"), removed("a"), stored("root", "a")]);
  const { events } = await replay(mirror);
  const order = events.flatMap((event) => (event.type === "stored" ? [...event.blocks] : []));
  assert.deepEqual(order, ["a", "b", "c"]);
});

test("a new epoch holds nothing", async () => {
  const mirror = new KvMirror("e1");
  mirror.apply([stored("root", "a")]);
  mirror.restart("e2");
  mirror.apply([stored("root", "z")]);
  assert.equal(mirror.has("a"), false);
  const { held, events } = await replay(mirror);
  assert.deepEqual(held, new Set(["hot z"]));
  assert.ok(events.every(({ epoch }) => epoch === "e2"));
});
