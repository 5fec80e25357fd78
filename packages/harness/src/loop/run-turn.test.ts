import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Item } from "@slipstream-stack/protocol";
import { TransportError } from "../errors.ts";
import type { TurnEvent } from "../events.ts";
import { HistoryLog } from "../history/history-log.ts";
import { functionCall, textMessage } from "../transport/testing/scripted-server.ts";
import { CountingIds, ManualClock, RecordingTools } from "../transport/testing/test-ports.ts";
import type { ModelEvent, ModelPort } from "./model-port.ts";
import type { ToolRunner, TurnPorts } from "./ports.ts";
import { runTurn } from "./run-turn.ts";

const never = new AbortController().signal;

function sent(): ModelEvent {
  return { type: "sent", transport: "memory", mode: "full", reason: null, bytes: 10, itemBytes: 4, items: 1 };
}

function completed(reason: string | null = null): ModelEvent {
  const type = reason === null ? "completed" : "incomplete";
  return { type, responseId: "resp", usage: null, reason, settingsFingerprint: null };
}

function item(value: Item): ModelEvent {
  return { type: "item", item: value };
}

type Step = ModelEvent | Error | (() => void | Promise<void>);

/** A model that plays one list of steps per request; functions run between events. */
class SteppedModel implements ModelPort {
  requests = 0;
  readonly #laps: Step[][];

  constructor(...laps: Step[][]) {
    this.#laps = laps;
  }

  async *respond(_log: HistoryLog, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    this.requests += 1;
    for (const step of [sent(), ...(this.#laps.shift() ?? [completed()])]) {
      signal.throwIfAborted();
      if (step instanceof Error) throw step;
      if (typeof step === "function") await step();
      else yield step;
    }
  }
}

function ports(model: ModelPort, tools: ToolRunner = new RecordingTools(), maxLaps = 10): TurnPorts {
  return { model, tools, clock: new ManualClock(), ids: new CountingIds(), maxLaps };
}

async function play(turnPorts: TurnPorts, signal = never) {
  const log = new HistoryLog([{ type: "message", role: "user", content: "go" }]);
  const events: TurnEvent[] = [];
  const outcome = await runTurn(log, turnPorts, signal, (event) => events.push(event));
  return { outcome, events, types: log.items().map((entry) => entry.type), log };
}

test("an answer without a call ends the turn", async () => {
  const { outcome, types, events } = await play(
    ports(new SteppedModel([item(textMessage("hi")), completed()])),
  );
  assert.deepEqual(outcome, { kind: "answered", text: "hi", laps: 1 });
  assert.deepEqual(types, ["message", "message"]);
  assert.deepEqual(
    events.map((event) => event.type),
    ["turn-start", "lap-start", "request", "item", "lap-end", "turn-end"],
  );
});

test("several messages of one answer are told apart in its text", async () => {
  const { outcome } = await play(
    ports(new SteppedModel([item(textMessage("one")), item(textMessage("two")), completed()])),
  );
  assert.deepEqual(outcome, { kind: "answered", text: "one\n\ntwo", laps: 1 });
});

test("calls are dispatched while the response goes on, and answered in the order of the calls", async () => {
  const order: string[] = [];
  const first = Promise.withResolvers<void>();
  const tools: ToolRunner = {
    async run(call) {
      order.push(`start ${call.callId}`);
      if (call.callId === "a") await first.promise;
      else first.resolve();
      return { output: call.callId, isError: false };
    },
  };
  const model = new SteppedModel([
    item(functionCall("a", "x")),
    () => void order.push("still streaming"),
    item(functionCall("b", "x")),
    completed(),
  ]);
  const { log, outcome } = await play(ports(model, tools));
  assert.deepEqual(order, ["start a", "still streaming", "start b"]);
  assert.equal(outcome.kind, "answered");
  assert.deepEqual(
    log
      .items()
      .slice(1)
      .map((entry) => [entry.type, "output" in entry ? entry.output : null]),
    [
      ["function_call", null],
      ["function_call", null],
      ["function_call_output", "a"],
      ["function_call_output", "b"],
    ],
  );
});

test("a failing tool is a value that the model reads", async () => {
  const tools: ToolRunner = { run: async () => ({ output: "it failed", isError: true }) };
  const model = new SteppedModel(
    [item(functionCall("a", "x")), completed()],
    [item(textMessage("ok")), completed()],
  );
  const { outcome, log } = await play(ports(model, tools));
  assert.deepEqual(outcome, { kind: "answered", text: "ok", laps: 2 });
  assert.deepEqual(log.items()[2], { type: "function_call_output", call_id: "a", output: "it failed" });
});

test("laps are bounded", async () => {
  const laps = Array.from({ length: 9 }, (_, index) => [item(functionCall(`c${index}`, "x")), completed()]);
  const model = new SteppedModel(...laps);
  const { outcome } = await play(ports(model, new RecordingTools(), 3));
  assert.deepEqual(outcome, { kind: "lap_limit", laps: 3 });
  assert.equal(model.requests, 3);
});

test("after a restart the items of the broken attempt are gone and the new ones stand once", async () => {
  const model = new SteppedModel([
    item(textMessage("half")),
    { type: "restart" },
    sent(),
    item(textMessage("whole")),
    completed(),
  ]);
  const { outcome, log } = await play(ports(model));
  assert.deepEqual(outcome, { kind: "answered", text: "whole", laps: 1 });
  assert.deepEqual(log.items().slice(1), [textMessage("whole")]);
});

test("an interrupted response keeps what has finished, runs each call once and goes on", async () => {
  const tools = new RecordingTools();
  const model = new SteppedModel(
    [item(textMessage("look")), item(functionCall("a", "x")), { type: "interrupted", code: "broken" }],
    [item(textMessage("done")), completed()],
  );
  const { outcome, types } = await play(ports(model, tools));
  assert.deepEqual(outcome, { kind: "answered", text: "done", laps: 2 });
  assert.deepEqual(types, ["message", "message", "function_call", "function_call_output", "message"]);
  assert.equal(tools.calls.length, 1);
});

test("a server that plays a broken response again does not make its calls run again", async () => {
  const tools = new RecordingTools();
  const model = new SteppedModel(
    [item(functionCall("a", "x")), { type: "interrupted", code: "broken" }],
    [item(functionCall("a", "x")), { type: "interrupted", code: "broken" }],
    [item(functionCall("a", "x")), item(functionCall("b", "x")), completed()],
    [item(functionCall("a", "x")), completed()],
  );
  const { outcome, types } = await play(ports(model, tools));
  assert.deepEqual(outcome, { kind: "answered", text: "", laps: 5 });
  assert.deepEqual(
    tools.calls.map((call) => call.callId),
    ["a", "b", "a"],
    "the same call asked for later, in a whole response, is a new call",
  );
  assert.equal(types.filter((type) => type === "function_call_output").length, 3);
});

test("an incomplete response ends the turn; a call cut off in it neither runs nor stands", async () => {
  const tools = new RecordingTools();
  const cut = { ...functionCall("a", "x"), status: "incomplete" } as Item;
  const model = new SteppedModel([item(textMessage("so")), item(cut), completed("max_output_tokens")]);
  const { outcome, types } = await play(ports(model, tools));
  assert.deepEqual(outcome, { kind: "incomplete", reason: "max_output_tokens", text: "so", laps: 1 });
  assert.deepEqual(types, ["message", "message"]);
  assert.equal(tools.calls.length, 0);
});

test("a model that gives up fails the turn with its code", async () => {
  const failure = new TransportError("rejected", "too long", {
    code: "context_length_exceeded",
    status: 400,
  });
  const { outcome } = await play(ports(new SteppedModel([failure])));
  assert.deepEqual(outcome, {
    kind: "failed",
    code: "context_length_exceeded",
    message: "too long",
    status: 400,
    laps: 1,
  });
});

test("a cancel drops the unfinished answer, answers the calls that ran and tells the model", async () => {
  const abort = new AbortController();
  const model = new SteppedModel([
    item(functionCall("a", "x")),
    item(textMessage("half")),
    () => abort.abort(),
    completed(),
  ]);
  const { outcome, log } = await play(ports(model), abort.signal);
  assert.deepEqual(outcome, { kind: "cancelled", laps: 1 });
  assert.deepEqual(
    log.items().map((entry) => entry.type),
    ["message", "function_call", "function_call_output", "message"],
  );
});

test("a fault of the program itself is thrown, not turned into an outcome", async () => {
  await assert.rejects(play(ports(new SteppedModel([new RangeError("bug")]))), RangeError);
});

test("figures measure each lap on the given clock", async () => {
  const clock = new ManualClock();
  const tick = (milliseconds: number) => async () => {
    await nextTurn();
    clock.advance(milliseconds);
  };
  const usage = {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 70, cache_write_tokens: 0 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 105,
  };
  const end: ModelEvent = {
    type: "completed",
    responseId: "r",
    usage,
    reason: null,
    settingsFingerprint: null,
  };
  const model = new SteppedModel(
    [tick(30), item(functionCall("a", "x")), tick(20), end],
    [item(textMessage("x")), end],
  );
  const tools: ToolRunner = {
    async run() {
      clock.advance(7);
      return { output: "", isError: false };
    },
  };
  const { events } = await play({ ...ports(model, tools), clock });
  const laps = events.flatMap((event) => (event.type === "lap-end" ? [event.figures] : []));
  assert.equal(laps[0]?.firstOutputMs, 30);
  assert.equal(laps[0]?.modelMs, 57);
  assert.equal(laps[0]?.toolMs, 7);
  assert.equal(laps[0]?.loopGapMs, null);
  assert.equal(laps[1]?.loopGapMs, 0);
  assert.deepEqual(laps[0]?.tokens, { input: 100, cached: 70, new: 30, output: 5 });
  assert.deepEqual([laps[0]?.bytesSent, laps[0]?.itemBytes, laps[0]?.attempts], [10, 4, 1]);
});
