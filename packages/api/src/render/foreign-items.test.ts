import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Item, itemSchema } from "@slipstream-stack/protocol";
import { foreignItemText } from "./foreign-items.ts";

const item = (raw: unknown): Item => itemSchema.parse(raw);

describe("foreign items", () => {
  it("tells a call by what it did, without id, status or call id", () => {
    const shown = foreignItemText(
      item({
        type: "shell_call",
        id: "s1",
        call_id: "c1",
        status: "completed",
        action: { commands: ["ls"] },
      }),
    );
    assert.deepEqual(shown, { side: "call", text: '{"action":{"commands":["ls"]},"type":"shell_call"}' });
  });

  it("tells a result by its output", () => {
    const shown = foreignItemText(item({ type: "local_shell_call_output", id: "o", output: "done" }));
    assert.deepEqual(shown, { side: "result", text: '{"output":"done","type":"local_shell_call_output"}' });
  });

  it("leaves image bytes out", () => {
    const shown = foreignItemText(
      item({ type: "image_generation_call", id: "i", result: "AAAA", revised_prompt: "a cat" }),
    );
    assert.equal(shown?.text, '{"revised_prompt":"a cat","type":"image_generation_call"}');
  });

  it("shows nothing of items that are no part of the talk, nor of names every object has", () => {
    for (const type of [
      "configuration_update",
      "compaction_trigger",
      "mcp_list_tools",
      "constructor",
      "toString",
    ]) {
      assert.equal(foreignItemText(item({ type })), null);
    }
  });
});
