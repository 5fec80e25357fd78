import assert from "node:assert/strict";
import { test } from "node:test";
import { PrefixHasher } from "@slipstream-stack/inference";
import fc from "fast-check";
import { tokenRope } from "./token-rope.ts";

const tokens = fc.array(fc.nat(1000), { minLength: 1, maxLength: 300 }).map((ids) => Uint32Array.from(ids));

test("boundaries are strictly deepest first and name the tokens up to them", () => {
  fc.assert(
    fc.property(tokens, fc.array(fc.nat(300), { maxLength: 5 }), (ids, wanted) => {
      const cuts = wanted.filter((cut) => cut > 0 && cut <= ids.length);
      const rope = tokenRope("root", ids, cuts);
      const boundaries = [...rope.boundaries()];
      assert.deepEqual(boundaries[0], rope.tip);
      const lengths = boundaries.map(({ length }) => length);
      assert.deepEqual(
        lengths,
        [...new Set(lengths)].sort((first, second) => second - first),
      );
      for (const cut of cuts) assert.ok(lengths.includes(cut));
      for (let block = 64; block <= ids.length; block += 64) assert.ok(lengths.includes(block));
      for (const { hash, length } of boundaries) {
        assert.equal(PrefixHasher.at("root").extend(ids.subarray(0, length)).hasher.ref().hash, hash);
      }
    }),
  );
});

test("slice copies", () => {
  const rope = tokenRope("root", Uint32Array.of(1, 2, 3));
  rope.slice(0)[0] = 9;
  assert.deepEqual([...rope.slice(0)], [1, 2, 3]);
  assert.deepEqual([...rope.slice(1, 2)], [2]);
});
