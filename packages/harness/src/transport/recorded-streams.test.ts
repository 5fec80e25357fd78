import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import type { JsonObject, JsonValue } from "@slipstream-stack/protocol";
import { HistoryLog } from "../history/history-log.ts";
import { isFinishedCall } from "../loop/tool-call.ts";
import type { TransportEvent } from "./model-transport.ts";
import { readWireEvent } from "./wire-event.ts";

const folder = new URL("./fixtures/openai-streams/", import.meta.url);

function recorded(name: string): JsonObject[] {
  const lines = readFileSync(new URL(name, folder), "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as JsonObject);
}

const names = readdirSync(folder).filter((name) => name.endsWith(".chunks.txt"));
assert.ok(names.length >= 7);

for (const name of names) {
  test(`${name}: every item of the recorded response arrives whole and enters the history unchanged`, () => {
    const wire = recorded(name);
    const events: TransportEvent[] = wire.map(readWireEvent).filter((event) => event !== null);
    const done = wire
      .filter((event) => event["type"] === "response.output_item.done")
      .map((event) => event["item"]);
    const items = events.flatMap((event) => (event.type === "item" ? [event.item] : []));
    assert.deepEqual(items, done);
    const log = new HistoryLog(items);
    const sentAgain = log
      .view()
      .from(0)
      .map((entry) => JSON.parse(entry.json) as JsonValue);
    assert.deepEqual(sentAgain, done);
  });

  test(`${name}: it ends once, completed, with its id and usage, and its deltas make its text`, () => {
    const wire = recorded(name);
    const events = wire.map(readWireEvent).filter((event) => event !== null);
    const end = events.at(-1);
    assert.equal(end?.type, "completed");
    assert.equal(events.filter((event) => event.type === "completed").length, 1);
    const response = wire.at(-1)?.["response"] as { id: string; usage: { input_tokens: number } };
    assert.equal(end.responseId, response.id);
    assert.equal(end.usage?.input_tokens, response.usage.input_tokens);
    const streamed = events.flatMap((event) => (event.type === "text-delta" ? [event.delta] : [])).join("");
    const finished = wire
      .filter((event) => event["type"] === "response.output_text.done")
      .map((event) => event["text"])
      .join("");
    assert.equal(streamed, finished);
  });
}

test("of the hosted tools' items only function calls are ours to run", () => {
  const runnable = names.flatMap((name) =>
    recorded(name)
      .map(readWireEvent)
      .flatMap((event) => (event?.type === "item" && isFinishedCall(event.item) ? [event.item.type] : [])),
  );
  assert.ok(runnable.length > 0);
  assert.deepEqual([...new Set(runnable)], ["function_call"]);
});
