import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  type CharacterSet,
  characterSet,
  classBody,
  common,
  complement,
  members,
  sizeOf,
  without,
} from "./character-set.ts";

const sets: fc.Arbitrary<CharacterSet> = fc
  .array(fc.tuple(fc.nat(200), fc.nat(40)).map(([from, span]) => [from, from + span] as const))
  .map(characterSet);

function has(set: CharacterSet, point: number): boolean {
  return set.some(([from, to]) => point >= from && point <= to);
}

test("ranges are merged and put in order", () => {
  assert.deepEqual(
    characterSet([
      [5, 9],
      [1, 2],
      [3, 4],
      [8, 12],
      [20, 20],
    ]),
    [
      [1, 12],
      [20, 20],
    ],
  );
  assert.deepEqual(complement([]), [[0, 0x10ffff]]);
  assert.deepEqual(complement([[0, 0x10ffff]]), []);
});

test("complement and difference have what they should, point by point", () => {
  fc.assert(
    fc.property(sets, sets, (left, right) => {
      for (let point = 0; point <= 260; point += 1) {
        assert.equal(has(complement(left), point), !has(left, point));
        assert.equal(has(without(left, right), point), has(left, point) && !has(right, point));
        assert.equal(has(common(left, right), point), has(left, point) && has(right, point));
      }
    }),
  );
});

test("members are counted and listed", () => {
  fc.assert(fc.property(sets, (set) => assert.equal(members(set).length, sizeOf(set))));
  assert.deepEqual(
    members([
      [1, 3],
      [7, 7],
    ]),
    [1, 2, 3, 7],
  );
});

test("a set is written as a class that matches its members", () => {
  fc.assert(
    fc.property(sets, (set) => {
      const part = common(set, [[0, 0x7f]]);
      if (part.length === 0) return;
      const pattern = new RegExp(`^[${classBody(part)}]$`, "u");
      for (let point = 0; point <= 260; point += 1) {
        assert.equal(pattern.test(String.fromCodePoint(point)), has(part, point));
      }
    }),
  );
});
