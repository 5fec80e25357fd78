import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { exceeds, hasToken, intersects, removeAll, removeToken, tokenSet, tokensIn } from "./token-set.ts";

const tokens = 100;
const ids = fc.uniqueArray(fc.nat(tokens - 1));

test("a set of tokens behaves as a set", () => {
  fc.assert(
    fc.property(ids, ids, (left, right) => {
      const [set, other] = [tokenSet(left, tokens), tokenSet(right, tokens)];
      assert.equal(set.length, 4);
      assert.deepEqual(
        tokensIn(set),
        [...left].sort((one, two) => one - two),
      );
      for (let id = 0; id < tokens; id += 1) assert.equal(hasToken(set, id), left.includes(id));
      assert.equal(
        intersects(set, other),
        left.some((id) => right.includes(id)),
      );
      assert.equal(
        exceeds(set, other),
        left.some((id) => !right.includes(id)),
      );
      for (const id of left.slice(0, 3)) removeToken(set, id);
      removeAll(set, other);
      const rest = left.slice(3).filter((id) => !right.includes(id));
      assert.deepEqual(new Set(tokensIn(set)), new Set(rest));
    }),
  );
});

test("ids outside of the vocabulary are left out", () => {
  assert.deepEqual(tokensIn(tokenSet([-1, 31, 32, 100], tokens)), [31, 32]);
});
