import assert from "node:assert/strict";
import { test } from "node:test";
import type { Item } from "@slipstream-stack/protocol";
import { HistoryLog, HistoryView, type LogEntry } from "../history/history-log.ts";
import { buildRequest } from "./build-request.ts";
import type { SendPlan } from "./delta-rule.ts";
import { freezeSettings } from "./frozen-settings.ts";

const settings = freezeSettings({ settings: { model: "größe", tools: [] }, store: false });
const full: SendPlan = { kind: "full", reason: "first_request", changed: null };

function message(index: number): Item {
  return { type: "message", role: "user", content: `${index} – ${"x".repeat(2000)}` };
}

function delta(from: number, settingsFingerprint: string | null): SendPlan {
  return { kind: "delta", previousResponseId: `resp_${"0".repeat(48)}`, from, settingsFingerprint };
}

test("the stated bytes are those of the text, in every form", () => {
  const history = new HistoryLog([message(1), message(2)]).view();
  for (const plan of [full, delta(1, null), delta(1, "f"), delta(2, null)]) {
    for (const form of ["frame", "body"] as const) {
      for (const generate of [true, false]) {
        const built = buildRequest({ settings, history, plan, form, generate });
        assert.equal(built.bytes, Buffer.byteLength(built.json));
        assert.equal(JSON.parse(built.json).generate, generate ? undefined : false);
      }
    }
  }
});

test("a full request holds settings and all items; a chained one without inheritance repeats the settings", () => {
  const history = new HistoryLog([message(1), message(2)]).view();
  const whole = JSON.parse(
    buildRequest({ settings, history, plan: full, form: "frame", generate: true }).json,
  );
  assert.deepEqual(whole, {
    type: "response.create",
    store: false,
    model: "größe",
    tools: [],
    input: [message(1), message(2)],
  });
  const chained = JSON.parse(
    buildRequest({ settings, history, plan: delta(1, null), form: "frame", generate: true }).json,
  );
  assert.equal(chained.model, "größe");
  assert.deepEqual(chained.input, [message(2)]);
});

test("a chained request that inherits is at most 300 bytes beyond its items, at 10 and at 1,000 items", () => {
  const overheads = [10, 1000].map((length) => {
    const history = new HistoryLog(Array.from({ length }, (_, index) => message(index))).view();
    const plan = delta(length - 1, "f".repeat(64));
    const built = buildRequest({ settings, history, plan, form: "frame", generate: true });
    assert.equal(built.items, 1);
    return built.bytes - built.itemBytes;
  });
  assert.ok(overheads[0]! <= 300);
  assert.equal(overheads[0], overheads[1]);
});

test("building a chained request reads only the items that travel and the one before them", () => {
  const { last } = new HistoryLog(Array.from({ length: 1000 }, (_, index) => message(index))).view();
  const touched = new Set<number>();
  const watch = (entry: LogEntry | null): LogEntry | null =>
    entry === null
      ? null
      : new Proxy(
          { ...entry },
          {
            get(target, name) {
              touched.add(target.index);
              return name === "previous" ? watch(target.previous) : Reflect.get(target, name);
            },
          },
        );
  const history = new HistoryView(watch(last));
  buildRequest({ settings, history, plan: delta(997, "f"), form: "frame", generate: true });
  assert.deepEqual([...touched].sort(), [996, 997, 998, 999]);
});

test("H2.1: 1,000 rebuilds of the same state give the same bytes", () => {
  const items = Array.from({ length: 20 }, (_, index) => message(index));
  const tools = ["a", "b", "c", "d"].map((name) => ({ type: "function", name }) as const);
  const texts = new Set<string>();
  for (let round = 0; round < 1000; round++) {
    const turned = [...tools.slice(round % 4), ...tools.slice(0, round % 4)];
    const shuffled = round % 2 === 0 ? turned : turned.reverse();
    const fresh = freezeSettings({ settings: { model: "m", tools: shuffled }, store: false });
    const history = new HistoryLog(items).view();
    texts.add(buildRequest({ settings: fresh, history, plan: full, form: "frame", generate: true }).json);
  }
  assert.equal(texts.size, 1);
});

test("H2.2: every full request is a byte prefix of the next one up to its closing bracket", () => {
  const log = new HistoryLog();
  let before = "";
  for (let lap = 0; lap < 30; lap++) {
    log.append([message(lap)]);
    const { json } = buildRequest({
      settings,
      history: log.view(),
      plan: full,
      form: "body",
      generate: true,
    });
    assert.ok(json.startsWith(before));
    before = json.slice(0, -2);
  }
});
