import assert from "node:assert/strict";
import { test } from "node:test";
import { readMiniSweSession } from "./read-mini-swe-session.ts";
import { readPiSession } from "./read-pi-session.ts";
import { textOf } from "./recorded-session.ts";

const lines = (values: readonly object[]): string => values.map((value) => JSON.stringify(value)).join("\n");

test("a pi session becomes laps of items; what is no message, and what was aborted, is none", () => {
  const text = lines([
    { type: "session", id: "s" },
    { type: "message", message: { role: "user", content: [{ type: "text", text: "list" }] } },
    { type: "message", message: { role: "assistant", content: [] } },
    { type: "model_change", modelId: "m" },
    {
      type: "message",
      message: {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm" },
          { type: "text", text: "I will." },
          { type: "toolCall", id: "t1", name: "bash", arguments: { command: "ls" } },
        ],
      },
    },
    {
      type: "message",
      message: { role: "toolResult", toolCallId: "t1", content: [{ type: "text", text: "a\nb" }] },
    },
    { type: "message", message: { role: "assistant", content: [{ type: "text", text: "Two." }] } },
  ]);
  const { laps } = readPiSession("one", `${text}\n`);
  assert.deepEqual(laps, [
    {
      input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "list" }] }],
      output: [
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "I will." }] },
        { type: "function_call", call_id: "t1", name: "bash", arguments: '{"command":"ls"}' },
      ],
    },
    {
      input: [{ type: "function_call_output", call_id: "t1", output: "a\nb" }],
      output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Two." }] }],
    },
  ]);
  const items = laps.flatMap(({ input, output }) => [...input, ...output]);
  assert.deepEqual(items.map(textOf), ["list", "I will.", 'bash {"command":"ls"}', "a\nb", "Two."]);
});

test("a mini-swe session is sorted, and each lap has only what its input adds", () => {
  const text = lines([
    { timestamp: 2, input: "task, result", output: "done" },
    { timestamp: 1, input: "task", output: "run it" },
  ]);
  const { laps } = readMiniSweSession("one", text);
  assert.deepEqual(
    laps.map(({ input, output }) => [input.map(textOf), output.map(textOf)]),
    [
      [["task"], ["run it"]],
      [[", result"], ["done"]],
    ],
  );
});

test("an input that rewrites the one before it is refused", () => {
  const text = lines([
    { timestamp: 1, input: "one", output: "" },
    { timestamp: 2, input: "other", output: "" },
  ]);
  assert.throws(() => readMiniSweSession("one", text));
});
