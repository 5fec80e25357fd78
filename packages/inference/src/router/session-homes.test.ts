import assert from "node:assert/strict";
import { test } from "node:test";
import { SessionHomes } from "./session-homes.ts";

test("a home belongs to a session of one scope", () => {
  const homes = new SessionHomes();
  homes.settle("one", "session", "a");
  homes.settle("two", "session", "b");
  assert.equal(homes.homeOf("one", "session"), "a");
  assert.equal(homes.homeOf("two", "session"), "b");
  assert.equal(homes.homeOf("three", "session"), null);
});

test("a session that moves has one home, and the least recently used is forgotten at the limit", () => {
  const homes = new SessionHomes(2);
  homes.settle("s", "first", "a");
  homes.settle("s", "second", "a");
  homes.settle("s", "first", "b");
  homes.settle("s", "third", "a");
  assert.equal(homes.homeOf("s", "first"), "b");
  assert.equal(homes.homeOf("s", "second"), null);
});
