import assert from "node:assert/strict";
import { mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, describe, it } from "node:test";
import { WireError } from "@slipstream-stack/protocol";
import { ApiError } from "../../errors.ts";
import { failureOf, openErrorOf, type StoreFailure, wireErrorOf } from "./failure.ts";

const folder = mkdtempSync(join(tmpdir(), "slipstream-failure-"));
after(() => rmSync(folder, { recursive: true }));

function thrownBy(act: () => void): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error("Nothing was thrown.");
}

describe("store failures", () => {
  it("knows SQLite's own errors by their result codes", () => {
    const path = join(folder, "a.sqlite");
    const writer = new DatabaseSync(path);
    writer.exec("create table t (a); pragma max_page_count = 3; begin immediate");
    const reader = new DatabaseSync(path, { readOnly: true });
    const other = new DatabaseSync(path);
    assert.equal(failureOf(thrownBy(() => reader.exec("insert into t values (1)"))).kind, "read_only");
    assert.equal(failureOf(thrownBy(() => other.exec("insert into t values (1)"))).kind, "locked");
    const fill = () => writer.exec("insert into t values (randomblob(100000))");
    assert.equal(failureOf(thrownBy(fill)).kind, "full");
    assert.equal(failureOf(thrownBy(() => writer.exec("select from"))).kind, "other");
    assert.equal(failureOf(thrownBy(() => new DatabaseSync(folder))).kind, "unreachable");
    for (const connection of [reader, other, writer]) connection.close();
  });

  it("knows the file system's and this program's errors", () => {
    const missing = thrownBy(() => openSync(join(folder, "none", "x"), "a"));
    assert.equal(failureOf(missing).kind, "unreachable");
    assert.equal(failureOf(Object.assign(new Error("x"), { code: "ENOSPC" })).kind, "full");
    assert.equal(failureOf(Object.assign(new Error("x"), { code: "EACCES" })).kind, "read_only");
    assert.equal(failureOf(new ApiError("store_unavailable", "x")).kind, "newer");
    assert.equal(failureOf(new WireError("invalid_value", "x")).kind, "invalid_after");
    assert.equal(failureOf("text").kind, "other");
  });

  it("become errors with a code, advice and a chance to retry", () => {
    const kinds: StoreFailure["kind"][] = ["full", "locked", "read_only", "corrupt", "unreachable", "other"];
    for (const kind of kinds) {
      const error = wireErrorOf({ kind, detail: "said by SQLite" });
      assert.equal(error.code, "storage_unavailable");
      assert.equal(error.retryAfterSeconds, 2);
      assert.ok(!error.message.includes("said by SQLite"), "the cause is for the log, not for the client");
    }
    assert.equal(openErrorOf({ kind: "corrupt", detail: "x" }, "/x").code, "store_corrupt");
    assert.equal(openErrorOf({ kind: "full", detail: "x" }, "/x").code, "store_unavailable");
  });
});
