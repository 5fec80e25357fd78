import assert from "node:assert/strict";
import { test } from "node:test";
import { environmentItem, instructionsItem } from "./environment-message.ts";
import { defaultInstructions } from "./instructions.ts";

const facts = { workspace: "/w", platform: "linux", sandbox: "workspace-write", network: false } as const;

test("equal facts give equal bytes, and every fact that differs shows", () => {
  const text = JSON.stringify(environmentItem(facts));
  assert.equal(JSON.stringify(environmentItem({ ...facts })), text);
  for (const other of [
    { ...facts, workspace: "/v" },
    { ...facts, platform: "darwin" },
    { ...facts, sandbox: "none" as const },
    { ...facts, network: true },
  ]) {
    assert.notEqual(JSON.stringify(environmentItem(other)), text);
  }
});

test("the default instructions hold nothing of this machine or this moment", () => {
  assert.doesNotMatch(defaultInstructions, /\d{4}|\/home|\/tmp|linux|darwin/i);
  assert.deepEqual(instructionsItem("x"), { type: "message", role: "developer", content: "x" });
});
