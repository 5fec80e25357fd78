import assert from "node:assert/strict";
import { test } from "node:test";
import type { TurnEvent } from "@slipstream-stack/harness";
import { printForPerson, printJson } from "./print-events.ts";

function show(events: readonly TurnEvent[], make = printForPerson) {
  let [out, note] = ["", ""];
  const print = make({ out: (text) => (out += text), note: (text) => (note += text) });
  for (const event of events) print(event);
  return { out, note };
}

const call: TurnEvent = { type: "tool-start", callId: "c", name: "shell", input: '{"command":\n"ls"}' };
const end = (outcome: Extract<TurnEvent, { type: "turn-end" }>["outcome"]): TurnEvent => ({
  type: "turn-end",
  turnId: "t",
  outcome,
});

test("the answer goes to standard output once, whole, everything else to the notes", () => {
  const { out, note } = show([
    { type: "text-delta", delta: "do" },
    { type: "restart" },
    { type: "text-delta", delta: "done" },
    call,
    end({ kind: "answered", text: "done\n", laps: 1 }),
  ]);
  assert.equal(out, "done\n");
  assert.equal(note, '> shell {"command": "ls"}\n');
});

test("long inputs are cut, failures of tools are shown, their outputs are not", () => {
  const ended = (isError: boolean): TurnEvent => ({
    type: "tool-end",
    callId: "c",
    output: "bad",
    isError,
    ms: 1,
  });
  assert.ok(show([{ ...call, input: "x".repeat(1000) }]).note.length < 200);
  assert.equal(show([ended(false)]).note, "");
  assert.match(show([ended(true)]).note, /bad/);
});

test("every other end says why", () => {
  assert.match(show([end({ kind: "lap_limit", laps: 9 })]).note, /9/);
  assert.match(
    show([end({ kind: "failed", code: "some_code", message: "m", status: 500, laps: 1 })]).note,
    /some_code/,
  );
  const cut = show([end({ kind: "incomplete", reason: "max_output_tokens", text: "half", laps: 1 })]);
  assert.equal(cut.out, "half\n");
  assert.match(cut.note, /max_output_tokens/);
});

test("a lap's figures stand in one line, with or without usage", () => {
  const figures = {
    lap: 2,
    responseId: "r",
    transport: "websocket",
    mode: "delta",
    fullReason: null,
    attempts: 1,
    bytesSent: 300,
    itemBytes: 200,
    items: 1,
    tokens: { input: 100, cached: 90, new: 10, output: 5 },
    firstOutputMs: 12.4,
    modelMs: 20,
    toolMs: 0,
    loopGapMs: 1,
  } as const;
  const line = show([{ type: "lap-end", figures, usage: null }]).note;
  assert.match(
    line,
    /lap 2: 300 bytes \(delta\), 90 cached \+ 10 new tokens, 5 out, first output after 12 ms/,
  );
  const bare = show([
    { type: "lap-end", figures: { ...figures, tokens: null, firstOutputMs: null }, usage: null },
  ]);
  assert.equal(bare.note.trim(), "lap 2: 300 bytes (delta)");
});

test("as JSON every event is one line", () => {
  const { out, note } = show([call, { type: "restart" }], printJson);
  assert.deepEqual(
    out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).type),
    ["tool-start", "restart"],
  );
  assert.equal(note, "");
});
