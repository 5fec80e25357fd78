import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import type { Agent, TurnOutcome } from "@slipstream-stack/harness";
import { talk } from "./talk.ts";

/** An agent that answers each task with itself, or waits until it is stopped when the task is "wait". */
function echoAgent(
  onWait: () => void = () => {},
): Agent & { readonly tasks: string[]; readonly ends: string[] } {
  const tasks: string[] = [];
  const ends: string[] = [];
  return {
    tasks,
    ends,
    sessionId: null,
    start: async () => {},
    history: () => [],
    close: async () => {},
    async run(task, signal, emit) {
      tasks.push(task);
      let outcome: TurnOutcome = { kind: "answered", text: task, laps: 1 };
      if (task === "wait") {
        const stopped = new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        onWait();
        await stopped;
        outcome = { kind: "cancelled", laps: 1 };
      }
      ends.push(outcome.kind);
      emit({ type: "turn-end", turnId: "t", outcome });
      return outcome;
    },
  };
}

function terminal() {
  const input = new PassThrough();
  const output = new PassThrough();
  output.resume();
  let out = "";
  const signals = new EventEmitter();
  return { input, output, signals, out: (text: string) => (out += text), note: () => {}, shown: () => out };
}

test("each line is a turn, blank lines are none, the end of input ends it", async () => {
  const agent = echoAgent();
  const given = terminal();
  given.input.end("one\n\n  \ntwo\n");
  await talk(agent, given);
  assert.deepEqual(agent.tasks, ["one", "two"]);
  assert.equal(given.shown(), "one\ntwo\n");
});

test("an interrupt stops the turn and not the talk", async () => {
  const given = terminal();
  const agent = echoAgent(() => given.signals.emit("SIGINT"));
  given.input.end("wait\nnext\n");
  await talk(agent, given);
  assert.deepEqual(agent.ends, ["cancelled", "answered"]);
});

test("nobody listens for interrupts afterwards", async () => {
  const given = terminal();
  given.input.end();
  await talk(echoAgent(), given);
  assert.equal(given.signals.listenerCount("SIGINT"), 0);
});
