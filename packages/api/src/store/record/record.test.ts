import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { responseWriteFixture } from "../testing/response-write.ts";
import { decodeChain } from "./decode-record.ts";
import { recordOf } from "./record.ts";

describe("a record", () => {
  it("carries only the contents that are not stored", () => {
    const write = responseWriteFixture("a");
    assert.deepEqual([...recordOf(write, () => false).blobs.keys()], [write.head, write.settings]);
    assert.deepEqual([...recordOf(write, (hash) => hash === write.head).blobs.keys()], [write.settings]);
    assert.equal(recordOf(write, () => true).blobs.size, 0);
    const other = { ...write, blobs: new Map([["unrelated", new Uint8Array(9)]]) };
    assert.equal(recordOf(other, () => false).blobs.size, 0);
  });

  it("owns its ids and contents, however large the buffers are that they were cut from", () => {
    const buffer = new Uint32Array(100_000).fill(5);
    const write = responseWriteFixture("a", { sampled: { firstItem: 1, ids: buffer.subarray(10, 14) } });
    const content = new Uint8Array(100_000).subarray(0, 8);
    const record = recordOf({ ...write, blobs: new Map([[write.head, content]]) }, () => false);
    buffer.fill(6);
    assert.deepEqual(record.sampled?.ids, Uint32Array.of(5, 5, 5, 5));
    assert.equal(record.sampled?.ids.buffer.byteLength, 16);
    assert.equal(record.blobs.get(write.head)?.buffer.byteLength, 8);
  });

  it("of a chain whose head is missing is no chain", async () => {
    const {
      blobs: _blobs,
      lap: _lap,
      expiresAt: _expiresAt,
      ...node
    } = recordOf(responseWriteFixture("a"), () => false);
    const nodes = [{ ...node, deleted: false }];
    assert.deepEqual(await decodeChain({ nodes, blobs: new Map() }), []);
    const blobs = new Map([
      [node.head, new Uint8Array(1)],
      [node.settings, new Uint8Array(2)],
    ]);
    assert.equal((await decodeChain({ nodes, blobs })).length, 1);
  });
});
