import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { InferenceError } from "../../../errors.ts";
import { checkModelFile } from "./check-model-file.ts";
import { identityHash, modelFingerprint } from "./model-fingerprint.ts";

const folder = mkdtempSync(join(tmpdir(), "slipstream-test-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};
const code = (path: string): string | null => {
  try {
    checkModelFile(path);
    return null;
  } catch (error) {
    return InferenceError.isInstance(error) ? error.code : "other";
  }
};

test("a missing file, a folder, another format and an empty file are told apart", () => {
  assert.equal(code(join(folder, "none")), "model_missing");
  assert.equal(code(folder), "model_missing");
  assert.equal(code(file("text", "hello")), "model_broken");
  assert.equal(code(file("empty", "")), "model_broken");
  assert.equal(code(file("good", "GGUF and more")), null);
});

test("the fingerprint is that of the content", () => {
  const bytes = new Uint8Array(5_000_000).fill(7);
  const one = file("one", bytes);
  assert.equal(modelFingerprint(file("two", bytes)), modelFingerprint(one));
  for (const at of [0, 4_999_999]) {
    const changed = bytes.slice();
    changed[at] = 8;
    assert.notEqual(modelFingerprint(file("changed", changed)), modelFingerprint(one));
  }
  assert.notEqual(modelFingerprint(file("shorter", bytes.subarray(1))), modelFingerprint(one));
  assert.match(modelFingerprint(file("none", "")), /^[0-9a-f]{32}$/);
});

test("parts of an identity cannot run into each other", () => {
  assert.notEqual(identityHash("ab", "c"), identityHash("a", "bc"));
  assert.equal(identityHash("ab"), identityHash(new TextEncoder().encode("ab")));
});
