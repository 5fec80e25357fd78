import assert from "node:assert/strict";
import { test } from "node:test";
import { WireError } from "@slipstream-stack/protocol";
import fc from "fast-check";
import { JsonScanner } from "./json-scanner.ts";

function scan(text: string, depth = 64): { ok: boolean; error: WireError | null } {
  const scanner = new JsonScanner(text, depth);
  try {
    scanner.value();
    scanner.whitespace();
    if (scanner.at !== text.length) scanner.fail("trailing text");
    return { ok: true, error: null };
  } catch (error) {
    if (!WireError.isInstance(error)) throw error;
    return { ok: false, error };
  }
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test("what JSON.stringify writes is accepted, spaced or not", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 2, "\t"), (value, space) => {
      assert.ok(scan(JSON.stringify(value, null, space)).ok);
    }),
  );
});

test("a text is accepted exactly if JSON.parse takes it", () => {
  const piece = fc.constantFrom(
    '"a"',
    '"',
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "1",
    "-0.5e+3",
    "01",
    "true",
    "nul",
    " ",
    "\\u0041",
    "\n",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const text = pieces.join("");
      assert.equal(scan(text).ok, parses(text), text);
    }),
    { numRuns: 3000 },
  );
});

test("damage to valid JSON is found wherever JSON.parse finds it", () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.nat(),
      fc.constantFrom("", '"', "}", "\\", "x", "\u0001"),
      (value, at, noise) => {
        const text = JSON.stringify(value);
        const cut = at % (text.length + 1);
        const damaged = text.slice(0, cut) + noise + text.slice(cut + 1);
        assert.equal(scan(damaged).ok, parses(damaged), damaged);
      },
    ),
    { numRuns: 2000 },
  );
});

test("a fault is named with its position", () => {
  const { error } = scan('{"a": tru}');
  assert.equal(error?.code, "invalid_json");
  assert.match(error?.message ?? "", /\b6\b/);
});

test("lone surrogates are faults, pairs are not", () => {
  for (const text of [
    '"\\ud83d"',
    '"\\ude00"',
    '"\\ud83dx"',
    '"\\ud83d\\u0041"',
    '"\\ud83d\\ue000"',
    '{"\\udc00":1}',
  ]) {
    assert.equal(scan(text).error?.code, "invalid_json", text);
  }
  assert.ok(scan('"\\ud83d\\ude00"').ok);
});

test("nesting has a limit, and depth alone costs no stack", () => {
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  assert.ok(scan(nested(63), 64).ok);
  assert.equal(scan(nested(65), 64).error?.code, "invalid_json");
  assert.equal(scan("[".repeat(1_000_000), 64).error?.code, "invalid_json");
  assert.ok(scan(nested(200_000), 1_000_000).ok);
});
