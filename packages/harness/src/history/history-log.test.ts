import assert from "node:assert/strict";
import { test } from "node:test";
import type { Item } from "@slipstream-stack/protocol";
import { HistoryLog } from "./history-log.ts";

function message(text: string): Item {
  return { type: "message", role: "user", content: [{ type: "input_text", text }] };
}

test("an appended item is frozen in depth and its JSON made once", () => {
  const log = new HistoryLog();
  const [entry] = log.append([message("höhe")]);
  assert.ok(entry);
  assert.equal(entry.json, JSON.stringify(message("höhe")));
  assert.equal(entry.bytes, Buffer.byteLength(entry.json));
  assert.throws(() => {
    (entry.item as unknown as { content: { text: string }[] }).content[0]!.text = "other";
  }, TypeError);
});

test("a view does not see later appends, and shares its entries with them", () => {
  const log = new HistoryLog([message("a"), message("b")]);
  const before = log.view();
  log.append([message("c")]);
  const after = log.view();
  assert.equal(before.length, 2);
  assert.equal(after.length, 3);
  assert.equal(after.from(0)[1], before.last);
  assert.equal(after.bytes, before.bytes + Buffer.byteLength(JSON.stringify(message("c"))));
});

test("from gives the entries behind an index, in order, and nothing at the end", () => {
  const log = new HistoryLog(["a", "b", "c", "d"].map(message));
  const view = log.view();
  assert.deepEqual(
    view.from(2).map((entry) => entry.index),
    [2, 3],
  );
  assert.deepEqual(view.from(4), []);
  assert.deepEqual(
    new HistoryLog()
      .view()
      .from(0)
      .map((entry) => entry.item),
    [],
  );
});

test("the listener hears of later items only, in order", () => {
  const heard: Item[] = [];
  const log = new HistoryLog([message("a")], (item) => heard.push(item));
  log.append([message("b"), message("c")]);
  assert.deepEqual(heard, [message("b"), message("c")]);
  assert.deepEqual(log.items(), ["a", "b", "c"].map(message));
});
