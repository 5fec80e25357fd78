import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { hashBlockSize, hashCounters, PrefixHasher } from "../../../kv/prefix-hash.ts";
import { TokenLog } from "./token-log.ts";

const root = "a".repeat(32);
const reference = (ids: readonly number[]) =>
  PrefixHasher.at(root).extend(Uint32Array.from(ids)).hasher.ref();
const tokens = fc.array(fc.nat(1_000), { maxLength: 300 });

test("every prefix has the identity that the rope gives it", () => {
  fc.assert(
    fc.property(tokens, tokens, fc.nat(), (first, second, cut) => {
      const log = new TokenLog(root, Uint32Array.from(first));
      log.append(Uint32Array.from(second));
      const all = [...first, ...second];
      const length = cut % (all.length + 1);
      assert.deepEqual(log.ref(length), reference(all.slice(0, length)));
      assert.ok(log.holds(reference(all.slice(0, length))));
      assert.equal(log.holds(reference([...all.slice(0, length), 1_001])), false);
    }),
  );
});

test("truncating and forking leave what growing alone would have made", () => {
  fc.assert(
    fc.property(tokens, tokens, fc.nat(), (first, second, cut) => {
      const length = cut % (first.length + 1);
      const expected = [...first.slice(0, length), ...second];
      const log = new TokenLog(root, Uint32Array.from(first));
      const fork = log.fork(length);
      log.truncate(length);
      for (const each of [log, fork]) {
        each.append(Uint32Array.from(second));
        assert.deepEqual([...each.view(0, each.length)], expected);
        assert.deepEqual(each.ref(each.length), reference(expected));
      }
    }),
  );
});

test("the common prefix is counted token by token", () => {
  const log = new TokenLog(root, Uint32Array.of(1, 2, 3, 4));
  assert.equal(log.common(Uint32Array.of(1, 2, 9, 4)), 2);
  assert.equal(log.common(Uint32Array.of(1, 2, 3, 4, 5)), 4);
  assert.equal(log.common(new Uint32Array(0)), 0);
  log.truncate(3);
  assert.equal(log.common(Uint32Array.of(1, 2, 3, 4)), 3);
  assert.throws(() => log.at(3));
});

test("a fork hashes nothing", () => {
  const log = new TokenLog(root, new Uint32Array(10 * hashBlockSize));
  const before = hashCounters.tokens;
  log.fork(5 * hashBlockSize + 3);
  assert.equal(hashCounters.tokens, before);
});
