import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { limitOutput, limitText, OutputKeeper } from "./output-limit.ts";

function keep(bytes: Uint8Array, limit: number, chunk: number): string {
  const keeper = new OutputKeeper(limit);
  for (let from = 0; from < bytes.length; from += chunk) keeper.push(bytes.subarray(from, from + chunk));
  return limitOutput(keeper.kept(), limit);
}

test("short output comes through unchanged", () => {
  assert.equal(limitText("höhe\n\t\u001b[1mx", 100), "höhe\n\t\u001b[1mx");
  assert.equal(limitText("", 100), "");
});

test("H2.6: long output keeps its beginning and end, says what is missing and stays within the limit", () => {
  const text = `HEAD${"x".repeat(5000)}TAIL`;
  const limited = limitText(text, 400);
  assert.ok(limited.startsWith("HEAD"));
  assert.ok(limited.endsWith("TAIL"));
  assert.ok(limited.includes(`of ${text.length} bytes`));
  assert.ok(Buffer.byteLength(limited) <= 400);
});

test("H2.6: the result depends on the bytes alone, not on how they came, and is always valid text", () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 3000 }),
    fc.string({ unit: "binary", maxLength: 1000 }).map((text) => new TextEncoder().encode(text)),
  );
  fc.assert(
    fc.property(
      bytes,
      fc.integer({ min: 200, max: 800 }),
      fc.integer({ min: 1, max: 700 }),
      (given, limit, chunk) => {
        const text = keep(given, limit, chunk);
        assert.equal(text, keep(given, limit, given.length + 1));
        assert.ok(Buffer.byteLength(text) <= limit);
        assert.equal(Buffer.from(text).toString("utf8"), text, "no half of a character");
      },
    ),
    { numRuns: 300 },
  );
});

test("a cut never falls into a character", () => {
  for (let limit = 200; limit < 220; limit++) {
    const limited = keep(new TextEncoder().encode("€😀".repeat(500)), limit, 7);
    assert.ok(!limited.includes("\uFFFD"), `limit ${limit}`);
  }
});

test("harmful control characters and bytes that are no text are replaced", () => {
  const text = limitOutput(
    { head: Buffer.from([65, 0, 7, 0xff, 66]), tail: new Uint8Array(0), totalBytes: 5 },
    100,
  );
  assert.equal(text, "A\uFFFD\uFFFD\uFFFDB");
});

test("memory stays bounded however much flows through", () => {
  const keeper = new OutputKeeper(1000);
  const chunk = Buffer.alloc(64 * 1024, "y");
  for (let count = 0; count < 1600; count++) keeper.push(chunk);
  const kept = keeper.kept();
  assert.equal(kept.totalBytes, 1600 * 64 * 1024);
  assert.equal(kept.head.length + kept.tail.length, 1000);
});
