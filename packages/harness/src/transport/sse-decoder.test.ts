import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SseDecoder } from "./sse-decoder.ts";

function decode(text: string, cuts: readonly number[] = []): string[] {
  const bytes = new TextEncoder().encode(text);
  const decoder = new SseDecoder();
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  let from = 0;
  return ends.flatMap((end) => {
    const part = decoder.push(bytes.subarray(from, end));
    from = end;
    return part;
  });
}

test("events keep their data wherever the bytes are cut", () => {
  const text = 'event: a\ndata: {"x":"ä€😀"}\n\n: comment\n\ndata: {"y":1}\r\n\r\ndata:2\n\ndata: [DONE]\n\n';
  fc.assert(
    fc.property(fc.array(fc.nat(), { maxLength: 8 }), (cuts) => {
      assert.deepEqual(decode(text, cuts), ['{"x":"ä€😀"}', '{"y":1}', "2"]);
    }),
  );
});

test("data of several lines is joined, and an event without an end is not given", () => {
  assert.deepEqual(decode("data: a\ndata: b\n\ndata: c"), ["a\nb"]);
});
