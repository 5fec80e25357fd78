import assert from "node:assert/strict";
import { test } from "node:test";
import { freezeSettings } from "@slipstream-stack/harness";
import { type RecordedSession, textMessage, textOf } from "./recorded-session.ts";
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
  return replay(session);
}

function replay(session: RecordedSession) {
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
  const reasons = replayed(20).map(({ fullReason }) => fullReason);
  assert.deepEqual(reasons, ["first_request", ...Array.from({ length: 19 }, () => null)]);
});

test("a request without a new item is sent in full and is no break", () => {
  const answer = (text: string) => ({ input: [], output: [textMessage("assistant", text)] });
  const first = { input: [textMessage("user", "hello")], output: [textMessage("assistant", "hi")] };
  const reasons = replay({ name: "two answers", laps: [first, answer("again")] });
  assert.deepEqual(
    reasons.map(({ fullReason }) => fullReason),
    ["first_request", "nothing_new"],
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
