import assert from "node:assert/strict";
import { test } from "node:test";
import type { Item, RequestSettings } from "@slipstream-stack/protocol";
import fc from "fast-check";
import { HistoryLog } from "../history/history-log.ts";
import { buildRequest } from "./build-request.ts";
import { type AcknowledgedState, planSend } from "./delta-rule.ts";
import { type FrozenSettings, freezeSettings } from "./frozen-settings.ts";

const baseSettings: RequestSettings = { model: "m", tools: [], tool_choice: "auto" };
const frozen = freezeSettings({ settings: baseSettings, store: false });

const item: fc.Arbitrary<Item> = fc.record({
  type: fc.constant("message" as const),
  role: fc.constantFrom("user" as const, "assistant" as const, "developer" as const),
  content: fc.string({ unit: "binary" }),
});

/** A conversation: what the server holds after its last response, and what came after. */
const conversation = fc.record({
  input: fc.array(item, { maxLength: 12 }),
  received: fc.array(item, { maxLength: 4 }),
  fresh: fc.array(item, { minLength: 1, maxLength: 4 }),
});

function acknowledge(log: HistoryLog, received: readonly Item[], warmUp = false): AcknowledgedState {
  const { last } = log.view();
  return {
    responseId: "resp_1",
    settings: frozen,
    lastInput: last,
    received,
    warmUp,
    settingsFingerprint: null,
  };
}

/** The input a server sees: what it held, and behind it what the request carries. */
function serverInput(held: readonly Item[], json: string): string {
  const body = JSON.parse(json) as { previous_response_id?: string; input: Item[] };
  return JSON.stringify(body.previous_response_id === undefined ? body.input : [...held, ...body.input]);
}

test("H1.1: applied to the server's state the delta gives the full input byte for byte", () => {
  fc.assert(
    fc.property(conversation, ({ input, received, fresh }) => {
      const log = new HistoryLog(input);
      const state = acknowledge(log, received);
      log.append(received);
      log.append(fresh);
      const plan = planSend(state, frozen, log.view());
      assert.equal(plan.kind, "delta");
      const built = buildRequest({
        settings: frozen,
        history: log.view(),
        plan,
        form: "frame",
        generate: true,
      });
      assert.equal(serverInput([...input, ...received], built.json), JSON.stringify(log.items()));
      assert.equal(built.items, fresh.length);
    }),
  );
});

test("H1.1: any change of an item or of their order gives one full send", () => {
  fc.assert(
    fc.property(conversation, fc.nat(), fc.boolean(), ({ input, received, fresh }, seed, swap) => {
      const log = new HistoryLog(input);
      const state = acknowledge(log, received);
      const held = [...input, ...received];
      fc.pre(held.length > 0);
      const at = seed % held.length;
      const other = (at + 1) % held.length;
      const changed = [...held];
      if (swap) [changed[at], changed[other]] = [held[other]!, held[at]!];
      else changed[at] = { type: "message", role: "user", content: `changed ${JSON.stringify(held[at])}` };
      fc.pre(JSON.stringify(changed) !== JSON.stringify(held));
      const rewritten = new HistoryLog([...changed, ...fresh]);
      assert.equal(planSend(state, frozen, rewritten.view()).kind, "full");
    }),
  );
});

test("H1.1: a received item that was dropped or changed gives a full send", () => {
  const received: Item[] = [
    { type: "message", role: "assistant", content: "a" },
    { type: "message", role: "assistant", content: "b" },
  ];
  const fresh: Item = { type: "message", role: "user", content: "next" };
  for (const kept of [[received[0]!], [received[1]!, received[0]!], [received[0]!, fresh]]) {
    const log = new HistoryLog([fresh]);
    const state = acknowledge(log, received);
    log.append([...kept, fresh]);
    assert.equal(planSend(state, frozen, log.view()).kind, "full");
  }
});

const changes: readonly Partial<RequestSettings>[] = [
  { model: "other" },
  { instructions: "x" },
  { tools: [{ type: "function", name: "t" }] },
  { tool_choice: "none" },
  { parallel_tool_calls: false },
  { reasoning: { effort: "high" } },
  { include: ["reasoning.encrypted_content"] },
  { service_tier: "flex" },
  { prompt_cache_key: "k" },
  { text: { verbosity: "low" } },
];

for (const change of changes) {
  const name = Object.keys(change)[0]!;
  test(`H1.1: a change of ${name} gives a full send that names it`, () => {
    const log = new HistoryLog([{ type: "message", role: "user", content: "a" }]);
    const state = acknowledge(log, []);
    log.append([{ type: "message", role: "user", content: "b" }]);
    const settings: FrozenSettings = freezeSettings({
      settings: { ...baseSettings, ...change },
      store: false,
    });
    const plan = planSend(state, settings, log.view());
    assert.deepEqual(plan, { kind: "full", reason: "field_changed", changed: name });
  });
}

test("an empty delta is allowed behind a warm-up only", () => {
  const log = new HistoryLog([{ type: "message", role: "developer", content: "a" }]);
  assert.equal(planSend(acknowledge(log, [], true), frozen, log.view()).kind, "delta");
  assert.equal(planSend(acknowledge(log, []), frozen, log.view()).kind, "full");
});

test("nothing acknowledged and an empty id both give a full send", () => {
  const log = new HistoryLog([{ type: "message", role: "user", content: "a" }]);
  const state = { ...acknowledge(log, []), responseId: "" };
  log.append([{ type: "message", role: "user", content: "b" }]);
  assert.equal(planSend(null, frozen, log.view()).kind, "full");
  assert.equal(planSend(state, frozen, log.view()).kind, "full");
});

test("a history shorter than what the server holds gives a full send", () => {
  const log = new HistoryLog([{ type: "message", role: "user", content: "a" }]);
  const state = acknowledge(log, [{ type: "message", role: "assistant", content: "b" }]);
  assert.equal(planSend(state, frozen, log.view()).kind, "full");
});
