import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { watchOutput } from "./watch-output.ts";

function watched() {
  const output = new EventEmitter();
  const seen: string[] = [];
  watchOutput(output, {
    unread: () => seen.push("unread"),
    failed: (error) => seen.push(`failed ${error.code}`),
  });
  const fail = (code: string): boolean => output.emit("error", Object.assign(new Error(code), { code }));
  return { seen, fail };
}

test("a reader that left is told from an output that fails", () => {
  const left = watched();
  left.fail("EPIPE");
  const full = watched();
  full.fail("ENOSPC");
  assert.deepEqual([left.seen, full.seen], [["unread"], ["failed ENOSPC"]]);
});

test("every further write fails too, and is told no more", () => {
  const { seen, fail } = watched();
  fail("EPIPE");
  fail("EPIPE");
  fail("ERR_STREAM_DESTROYED");
  assert.deepEqual(seen, ["unread"]);
});
