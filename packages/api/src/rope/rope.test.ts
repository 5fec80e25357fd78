import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hashBlockSize, hashCounters, PrefixHasher } from "@slipstream-stack/inference";
import fc from "fast-check";
import { Rope } from "./rope.ts";
import type { Segment } from "./segment.ts";

const root = "0".repeat(32);
const deltas = fc.array(fc.array(fc.array(fc.nat(50_000), { maxLength: 90 }), { maxLength: 4 }), {
  maxLength: 12,
});

function segment(ids: readonly number[]): Segment {
  return { kind: "input", ids: Uint32Array.from(ids), item: null };
}

function build(parts: readonly (readonly (readonly number[])[])[]): Rope {
  return parts.reduce((rope, delta) => rope.append(delta.map(segment)), Rope.empty(root));
}

describe("Rope", () => {
  it("is the concatenation of its deltas under every slice and cut", () => {
    fc.assert(
      fc.property(deltas, fc.nat(), fc.nat(), (parts, a, b) => {
        const flat = parts.flat(2);
        const rope = build(parts);
        assert.equal(rope.length, flat.length);
        const [from = 0, to = 0] = [a % (flat.length + 1), b % (flat.length + 1)].sort((x, y) => x - y);
        assert.deepEqual([...rope.slice(from, to)], flat.slice(from, to));
        assert.deepEqual([...rope.cut(to).slice(0)], flat.slice(0, to));
      }),
    );
  });

  it("has an identity that does not depend on how it was cut into segments and nodes", () => {
    fc.assert(
      fc.property(deltas, fc.nat(), (parts, a) => {
        const flat = parts.flat(2);
        const rope = build(parts);
        const whole = PrefixHasher.at(root).extend(Uint32Array.from(flat)).hasher.ref();
        assert.deepEqual(rope.tip, whole);
        const at = a % (flat.length + 1);
        assert.deepEqual(
          rope.cut(at).tip,
          PrefixHasher.at(root)
            .extend(Uint32Array.from(flat.slice(0, at)))
            .hasher.ref(),
        );
      }),
    );
  });

  it("lists its boundaries deepest first, each a true prefix, whole blocks included", () => {
    fc.assert(
      fc.property(deltas, (parts) => {
        const flat = parts.flat(2);
        const found = [...build(parts).boundaries()];
        const lengths = found.map((ref) => ref.length);
        assert.deepEqual(
          lengths,
          [...new Set(lengths)].sort((x, y) => y - x),
        );
        for (let at = hashBlockSize; at <= flat.length; at += hashBlockSize) assert.ok(lengths.includes(at));
        for (const ref of found) {
          const prefix = Uint32Array.from(flat.slice(0, ref.length));
          assert.deepEqual(ref, PrefixHasher.at(root).extend(prefix).hasher.ref());
        }
      }),
    );
  });

  it("hashes in proportion to what is appended, however long it is", () => {
    let rope = Rope.empty(root).append([segment(Array.from({ length: 100_000 }, (_, index) => index))]);
    const before = hashCounters.tokens;
    for (let lap = 0; lap < 10; lap++) rope = rope.append([segment(Array.from({ length: 100 }, () => lap))]);
    assert.ok(hashCounters.tokens - before <= 10 * (100 + 2 * hashBlockSize));
  });

  it("refuses a cut outside itself", () => {
    assert.throws(() => build([[[1, 2, 3]]]).cut(4), RangeError);
  });
});
