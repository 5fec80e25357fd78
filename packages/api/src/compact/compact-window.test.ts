import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { contentText, type Item, isKnownItem } from "@slipstream-stack/protocol";
import fc from "fast-check";
import { compactWindow } from "./compact-window.ts";
import { createSealer } from "./sealer.ts";

const sealer = createSealer(new Uint8Array(32).fill(1));

function message(role: "user" | "assistant" | "developer", text: string): Item {
  return { type: "message", role, content: [{ type: "input_text", text }] };
}

/** Roles and texts of a window, with its summary opened. */
function shown(window: readonly Item[]): string[] {
  return window.map((item) => {
    if (isKnownItem(item) && item.type === "message") return `${item.role}: ${contentText(item.content)}`;
    if (isKnownItem(item) && item.type === "compaction") return `= ${sealer.open(item.encrypted_content)}`;
    return item.type;
  });
}

const call: Item = { type: "function_call", call_id: "call_1", name: "shell", arguments: "{}" };
const output: Item = { type: "function_call_output", call_id: "call_1", output: "files" };

describe("a compacted window", () => {
  it("has the instructions, the user's messages in order, and the summary last", () => {
    const items = [
      message("developer", "be brief"),
      message("user", "one"),
      call,
      output,
      message("assistant", "done"),
      message("developer", "a reminder"),
      message("user", "two"),
    ];
    const window = compactWindow(items, "what happened", sealer, "cmp_1");
    assert.deepEqual(shown(window), ["developer: be brief", "user: one", "user: two", "= what happened"]);
    assert.equal((window.at(-1) as { id?: string }).id, "cmp_1");
  });

  it("replaces an earlier summary", () => {
    const first = compactWindow([message("user", "one")], "first", sealer, "cmp_1");
    const second = compactWindow([...first, message("user", "two")], "second", sealer, "cmp_2");
    assert.deepEqual(shown(second), ["user: one", "user: two", "= second"]);
  });

  it("keeps the last messages that fit, and none before one that does not", () => {
    const items = [message("user", "a"), message("user", "x".repeat(50)), message("user", "bb")];
    const limits = { maxMessages: 9, maxBytes: 10 };
    assert.deepEqual(shown(compactWindow(items, "s", sealer, "cmp_1", limits)), ["user: bb", "= s"]);
    const three = ["1", "2", "3"].map((text) => message("user", text));
    const two = { maxMessages: 2, maxBytes: 100 };
    assert.deepEqual(shown(compactWindow(three, "s", sealer, "cmp_1", two)), ["user: 2", "user: 3", "= s"]);
  });

  it("is the summary alone where the user said nothing", () => {
    assert.deepEqual(shown(compactWindow([], "s", sealer, "cmp_1")), ["= s"]);
  });

  it("shortens a last message that is too long, and cuts no character in two", () => {
    const characters = fc.constantFrom("a", "é", "漢", "🙂");
    fc.assert(
      fc.property(fc.array(characters, { minLength: 60, maxLength: 200 }), fc.nat(50), (text, extra) => {
        const maxBytes = 20 + extra;
        const long = message("user", text.join(""));
        const [first] = compactWindow([long], "s", sealer, "cmp_1", { maxMessages: 1, maxBytes });
        assert.ok(first !== undefined && isKnownItem(first) && first.type === "message");
        const kept = contentText(first.content);
        assert.ok(new TextEncoder().encode(kept).length <= maxBytes);
        assert.equal(kept.isWellFormed() && !kept.includes("\ufffd"), true);
        assert.ok(text.join("").startsWith(kept.split("\n")[0] ?? "?"));
        assert.ok(text.join("").endsWith(kept.split("\n").at(-1) ?? "?"));
      }),
    );
  });
});
