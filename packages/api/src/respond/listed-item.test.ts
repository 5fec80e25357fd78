import assert from "node:assert/strict";
import { test } from "node:test";
import { type Item, itemSchema } from "@slipstream-stack/protocol";
import { listedItem } from "./listed-item.ts";

const item = (raw: Record<string, unknown>): Item => itemSchema.parse(raw);

test("a message given as a string is listed with one part of its side", () => {
  assert.deepEqual(listedItem(item({ id: "msg_1", role: "user", content: "hi" })), {
    id: "msg_1",
    type: "message",
    role: "user",
    content: [{ type: "input_text", text: "hi" }],
  });
  assert.deepEqual(
    (listedItem(item({ role: "assistant", content: "yes" })) as { content: unknown }).content,
    [{ type: "output_text", text: "yes", annotations: [] }],
  );
});

test("everything else is listed as it is", () => {
  for (const raw of [
    { role: "user", content: [{ type: "input_text", text: "hi" }] },
    { type: "function_call_output", call_id: "call_1", output: "text" },
    { type: "shell_call", call_id: "call_2", content: "of another kind" },
  ]) {
    const given = item(raw);
    assert.equal(listedItem(given), given);
  }
});
