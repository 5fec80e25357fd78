import assert from "node:assert/strict";
import { test } from "node:test";
import { SharedHealth } from "./shared-health.ts";

test("health only gets worse", () => {
  const health = new SharedHealth();
  assert.equal(health.health, "well");
  health.worsen("poisoned");
  health.worsen("bloated");
  assert.equal(health.health, "poisoned");
});

test("what is being compiled and why it broke show in another view", () => {
  const health = new SharedHealth();
  const other = new SharedHealth(health.buffer);
  const key = "0123456789abcdef0123456789abcdef";
  health.compiling.set(key);
  health.reason.set("out of memory");
  assert.equal(other.compiling.get(), key);
  assert.equal(other.reason.get(), "out of memory");
  health.compiling.set("");
  assert.equal(other.compiling.get(), "");
});
