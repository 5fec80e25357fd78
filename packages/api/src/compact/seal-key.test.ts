import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { ApiError } from "../errors.ts";
import { loadOrCreateKey } from "./seal-key.ts";

let folder = "";
let path = "";
/** Hooks of one `describe`: unit tests of a package share a process, and top-level hooks would reach them all. */
function useFreshFolder(): void {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "slipstream-key-"));
    path = join(folder, "state", "seal.key");
  });
  afterEach(() => rmSync(folder, { recursive: true }));
}

const isUnreadable = (error: unknown) => ApiError.isInstance(error) && error.code === "keys_unreadable";

describe("the key file", () => {
  useFreshFolder();

  it("is made once, for its owner alone, and read afterwards", async () => {
    const key = await loadOrCreateKey(path);
    assert.equal(key.length, 32);
    assert.deepEqual(new Uint8Array(await loadOrCreateKey(path)), new Uint8Array(key));
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.equal(statSync(join(folder, "state")).mode & 0o777, 0o700);
  });

  it("gives servers that start together one key and leaves no draft behind", async () => {
    const keys = await Promise.all(Array.from({ length: 10 }, () => loadOrCreateKey(path)));
    const texts = new Set(keys.map((key) => Buffer.from(key).toString("hex")));
    assert.equal(texts.size, 1);
    assert.deepEqual(readdirSync(join(folder, "state")), ["seal.key"]);
  });

  it("differs from one server to another", async () => {
    const other = await loadOrCreateKey(join(folder, "other.key"));
    assert.notDeepEqual(new Uint8Array(await loadOrCreateKey(path)), new Uint8Array(other));
  });

  it("is refused, and kept as it is, when it holds something else", async () => {
    const wrong = join(folder, "wrong.key");
    for (const content of ["", "short\n", "not base64 at all, but long enough to be a key of 32 bytes\n"]) {
      writeFileSync(wrong, content);
      await assert.rejects(loadOrCreateKey(wrong), isUnreadable);
      assert.equal(readFileSync(wrong, "utf8"), content);
    }
  });

  it("is refused where no file can be", async () => {
    await assert.rejects(loadOrCreateKey(folder), isUnreadable);
    writeFileSync(join(folder, "state"), "a file");
    await assert.rejects(loadOrCreateKey(path), isUnreadable);
  });
});
