import assert from "node:assert/strict";
import { test } from "node:test";
import { freezeSettings } from "@slipstream-stack/harness";
import { textMessage, textOf } from "./recorded-session.ts";
import { replaySession } from "./replay-session.ts";

const plainSettings = { model: "m", tools: [{ type: "function" as const, name: "shell" }] };

function replayed(laps: number) {
  const session = {
    name: "generated",
    laps: Array.from({ length: laps }, (_, index) => ({
      input: [textMessage("user", `question ${index}`)],
      output: [textMessage("assistant", `answer ${index}`)],
    })),
  };
  let time = 0;
  return replaySession(session, {
    settings: freezeSettings({ settings: plainSettings, store: false }),
    plainSettings,
    now: () => (time += 1),
    tokensOf: (item) => textOf(item).split(" ").length,
  });
}

test("a full resend grows with the history and a delta does not", () => {
  const laps = replayed(40);
  const first = laps[0]!;
  const last = laps.at(-1)!;
  assert.equal(first.delta.tokens, first.full.tokens);
  assert.equal(last.items, 79);
  assert.deepEqual([last.delta.tokens, last.full.tokens], [2, 158]);
  assert.ok(last.full.bytes > 10 * last.delta.bytes);
  assert.equal(last.delta.bytes - laps[20]!.delta.bytes, 0);
});

test("no recorded session that only grows breaks the chain", () => {
  assert.deepEqual(
    replayed(20).filter(({ broken }) => broken),
    [],
  );
});

test("both full forms carry the same bytes: only the order of keys differs", () => {
  for (const { anew, full } of replayed(5)) assert.equal(anew.bytes, full.bytes);
});

test("every way is timed once a lap, on the clock given", () => {
  for (const { anew, full, delta } of replayed(4)) {
    assert.deepEqual([anew.ms, full.ms, delta.ms], [1, 1, 1]);
  }
});
