import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { EndScanner } from "./end-scanner.ts";

const mark = "\u001eend_1:";

/** Output and exit code as the scanner finds them when the bytes are cut at these places. */
function scan(bytes: Buffer, cuts: readonly number[]): { output: Buffer; code: number | null } {
  const output: Buffer[] = [];
  const scanner = new EndScanner(mark, (part) => output.push(Buffer.from(part)));
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  let from = 0;
  let code: number | null = null;
  for (const end of ends) {
    code = scanner.push(bytes.subarray(from, end)) ?? code;
    from = end;
  }
  return { output: Buffer.concat(output), code };
}

test("output and exit code are found wherever the bytes are cut", () => {
  const outputs = fc.oneof(
    fc.uint8Array({ maxLength: 60 }),
    fc.constantFrom("\u001eend_", "\u001e\u001eend_1", "\u001eend_2:0\n").map((text) => Buffer.from(text)),
  );
  fc.assert(
    fc.property(outputs, fc.nat({ max: 255 }), fc.array(fc.nat(), { maxLength: 6 }), (output, code, cuts) => {
      const found = scan(Buffer.concat([output, Buffer.from(`${mark}${code}\n`)]), cuts);
      assert.deepEqual(found, { output: Buffer.from(output), code });
    }),
  );
});

test("a mark without its line feed is not an end", () => {
  assert.equal(scan(Buffer.from(`a${mark}1`), []).code, null);
});
