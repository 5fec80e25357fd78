import assert from "node:assert/strict";
import { test } from "node:test";
import { encode } from "@msgpack/msgpack";
import fc from "fast-check";
import { encodeFrame, FrameDecoder, largestFrame } from "./frame.ts";

const cutAt = (bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] => {
  const chunks: Uint8Array[] = [];
  let offset = 0;
  for (const size of sizes) {
    chunks.push(bytes.subarray(offset, offset + size));
    offset += size;
  }
  return [...chunks, bytes.subarray(offset)];
};

const message = fc.record({
  type: fc.string(),
  id: fc.nat(),
  nothing: fc.constant(null),
  ids: fc.array(fc.nat(2 ** 31)).map((ids) => Uint32Array.from(ids)),
  logprobs: fc.array(fc.float({ noNaN: true })).map((values) => Float32Array.from(values)),
  bytes: fc.uint8Array(),
  nested: fc.array(fc.tuple(fc.nat(), fc.record({ text: fc.string() }, { noNullPrototype: true }))),
});

test("messages come back whole, however the stream is cut", () => {
  fc.assert(
    fc.property(
      fc.array(message, { maxLength: 5 }),
      fc.array(fc.nat(40), { maxLength: 60 }),
      (messages, sizes) => {
        const stream = Buffer.concat(messages.map((each) => encodeFrame(each)));
        const decoder = new FrameDecoder();
        const decoded = cutAt(stream, sizes).flatMap((chunk) => decoder.push(chunk));
        assert.equal(decoded.length, messages.length);
        for (const [index, each] of decoded.entries()) {
          const { bytes, ...rest } = each as (typeof messages)[number];
          const { bytes: expectedBytes, ...expected } = messages[index]!;
          assert.deepEqual(rest, expected);
          assert.deepEqual([...bytes], [...expectedBytes]);
        }
      },
    ),
  );
});

test("typed arrays keep their type and own their bytes", () => {
  const decoder = new FrameDecoder();
  const frame = encodeFrame({
    ids: Uint32Array.of(1, 2, 0xffffffff),
    weights: Float32Array.of(0.5, -Infinity),
  });
  const [decoded] = decoder.push(frame) as [{ ids: Uint32Array; weights: Float32Array }];
  frame.fill(0);
  assert.deepEqual(decoded.ids, Uint32Array.of(1, 2, 0xffffffff));
  assert.deepEqual(decoded.weights, Float32Array.of(0.5, -Infinity));
});

test("fields without a value are left out", () => {
  const [decoded] = new FrameDecoder().push(encodeFrame({ a: 1, b: undefined }));
  assert.deepEqual(decoded, { a: 1 });
});

test("a length beyond the limit ends the stream before anything is kept for it", () => {
  const header = new Uint8Array(8);
  new DataView(header.buffer).setUint32(0, largestFrame + 1, true);
  assert.throws(() => new FrameDecoder().push(header), RangeError);
});

test("a body that is not MessagePack throws", () => {
  const body = encode({ some: "text" }).subarray(0, 4);
  const frame = new Uint8Array(4 + body.length);
  new DataView(frame.buffer).setUint32(0, body.length, true);
  frame.set(body, 4);
  assert.throws(() => new FrameDecoder().push(frame));
});
