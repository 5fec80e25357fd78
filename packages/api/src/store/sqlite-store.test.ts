import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, it } from "node:test";
import { ApiError } from "../errors.ts";
import { createSqliteStore, type SqliteStoreOptions } from "./sqlite-store.ts";
import { messageFixture, responseWriteFixture } from "./testing/response-write.ts";

let folder = "";
let path = "";
let errors: Error[] = [];

/** Hooks of one `describe`: unit tests of a package share a process, and top-level hooks would reach them all. */
function useFreshFolder(): void {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "slipstream-sqlite-"));
    path = join(folder, "state", "store.sqlite");
    errors = [];
  });
  afterEach(() => rmSync(folder, { recursive: true }));
}

const open = (options: Partial<SqliteStoreOptions> = {}) =>
  createSqliteStore({ path, onError: (error) => errors.push(error), ...options });

const isSetupError = (code: string) => (error: unknown) => ApiError.isInstance(error) && error.code === code;

/** Transactions in a write-ahead log: frames whose header gives the size after a commit (sqlite.org/fileformat.html, 4.1). */
function transactionsInLog(): number {
  const log = readFileSync(`${path}-wal`);
  const frameSize = 24 + log.readUInt32BE(8);
  let transactions = 0;
  for (let at = 32; at + frameSize <= log.length; at += frameSize) {
    if (log.readUInt32BE(at + 4) > 0) transactions += 1;
  }
  return transactions;
}

describe("the SQLite store", () => {
  useFreshFolder();

  it("makes its folder and file readable by their owner alone", async () => {
    const store = await open();
    await store.commit(responseWriteFixture("a"));
    for (const file of [path, `${path}-wal`]) assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(statSync(join(folder, "state")).mode & 0o777, 0o700);
    await store.close();
  });

  it("finds after reopening what was committed before", async () => {
    const first = await open();
    await first.commit(responseWriteFixture("a"));
    await first.close();
    const second = await open();
    const child = responseWriteFixture("b", { parent: "resp_a", depth: 1, blobs: new Map() });
    assert.equal((await second.commit(child)).result, "ok");
    assert.equal((await second.chain("default", "resp_b")).length, 2);
    await second.close();
  });

  it("writes commits that arrive together in few transactions", async () => {
    const store = await open();
    await store.commit(responseWriteFixture("first"));
    const before = transactionsInLog();
    const commits = Array.from({ length: 100 }, (_, index) =>
      store.commit(responseWriteFixture(`g${index}`)),
    );
    for (const { result } of await Promise.all(commits)) assert.equal(result, "ok");
    assert.ok(transactionsInLog() - before <= 10, `${transactionsInLog() - before} transactions`);
    await store.close();
  });

  it("asks again for contents that another process has swept", async () => {
    const [first, second] = [await open(), await open()];
    await first.commit(responseWriteFixture("a"));
    await second.remove("default", "resp_a");
    assert.equal((await second.sweep(0, 10)).removed, 1);
    assert.equal((await first.commit(responseWriteFixture("b"))).result, "ok");
    assert.notEqual(await second.response("default", "resp_b"), null);
    await Promise.all([first.close(), second.close()]);
  });

  it("keeps a bad record from spoiling its group", async () => {
    const store = await open();
    const falling = [
      { end: 9, aligned: true },
      { end: 3, aligned: true },
    ];
    const [bad, good] = await Promise.allSettled([
      store.commit(responseWriteFixture("bad", { marks: falling })),
      store.commit(responseWriteFixture("good")),
    ]);
    assert.equal(bad.status, "rejected");
    assert.equal(good.status, "fulfilled");
    assert.equal(await store.response("default", "resp_bad"), null);
    assert.notEqual(await store.response("default", "resp_good"), null);
    await store.close();
  });

  it("leaves nothing of a swept response in the file", async () => {
    // Random bytes are stored as they are, as deflating makes them no shorter.
    const secret = Buffer.from(crypto.getRandomValues(new Uint8Array(64)));
    const write = responseWriteFixture("a");
    const first = await open();
    await first.commit({ ...write, blobs: new Map([...write.blobs.keys()].map((hash) => [hash, secret])) });
    await first.close();
    assert.equal(readFileSync(path).includes(secret), true);
    const second = await open();
    await second.remove("default", "resp_a");
    await second.sweep(0, 10);
    await second.close();
    assert.equal(readFileSync(path).includes(secret), false);
  });
});

describe("a SQLite store in trouble", () => {
  useFreshFolder();

  it("does not open where its folder cannot be made", async () => {
    writeFileSync(join(folder, "state"), "a file");
    await assert.rejects(open(), isSetupError("store_unavailable"));
  });

  it("does not open a file of something else, and leaves it alone", async () => {
    mkdirSync(join(folder, "state"));
    writeFileSync(path, "no database at all, but long enough to have a header ".repeat(20));
    const before = readFileSync(path);
    await assert.rejects(open(), isSetupError("store_corrupt"));
    assert.deepEqual(readFileSync(path), before);
  });

  it("does not open a file of a newer version", async () => {
    await (await open()).close();
    const connection = new DatabaseSync(path);
    connection.exec("update store_schema set version = 99");
    connection.close();
    await assert.rejects(open(), isSetupError("store_unavailable"));
  });

  it("fails with storage_unavailable on damaged pages and goes on answering", async () => {
    const store = await open();
    for (let index = 0; index < 200; index += 1) await store.commit(responseWriteFixture(`r${index}`));
    await store.close();
    const file = readFileSync(path);
    // The first pages stay, so that the file opens.
    file.fill(0xa5, 20 * 2048);
    writeFileSync(path, file);
    const damaged = await open();
    await assert.rejects(damaged.response("default", "resp_r7"), { code: "storage_unavailable" });
    await assert.rejects(damaged.commit(responseWriteFixture("new")), { code: "storage_unavailable" });
    assert.equal(errors.length, 2);
    await damaged.close();
  });

  it("fails the writes that do not fit, keeps the rest, and takes more once there is room", async () => {
    const store = await open({ maxBytes: 256 * 1024 });
    // Base64 of random bytes does not compress to less than its bytes.
    const large = (name: string) =>
      responseWriteFixture(name, {
        items: [
          messageFixture(
            "user",
            Buffer.from(crypto.getRandomValues(new Uint8Array(48_000))).toString("base64"),
          ),
        ],
      });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) => store.commit(large(`l${index}`))),
    );
    const kept = outcomes.flatMap((outcome, index) => (outcome.status === "fulfilled" ? [index] : []));
    assert.ok(kept.length > 0 && kept.length < 10);
    for (const [index, outcome] of outcomes.entries()) {
      const found = await store.response("default", `resp_l${index}`);
      assert.equal(found !== null, outcome.status === "fulfilled");
      if (outcome.status === "rejected") assert.equal(outcome.reason.code, "storage_unavailable");
    }
    for (const index of kept) await store.remove("default", `resp_l${index}`);
    await store.sweep(0, 100);
    assert.equal((await store.commit(large("later"))).result, "ok");
    await store.close();
  });

  it("fails while another process holds the file and works afterwards", async () => {
    const store = await open({ busyTimeoutMs: 20 });
    const other = new DatabaseSync(path);
    other.exec("begin immediate");
    await assert.rejects(store.commit(responseWriteFixture("a")), {
      code: "storage_unavailable",
      status: 503,
      retryAfterSeconds: 2,
    });
    other.exec("rollback");
    other.close();
    assert.equal((await store.commit(responseWriteFixture("a"))).result, "ok");
    await store.close();
  });

  it("gives up a call after its time and does not mix up later answers", async () => {
    const store = await open({ busyTimeoutMs: 300, callTimeoutMs: 2_000 });
    const other = new DatabaseSync(path);
    other.exec("begin immediate");
    const impatient = await open({ busyTimeoutMs: 1_000, callTimeoutMs: 200 }).catch((error) => error);
    assert.ok(ApiError.isInstance(impatient));
    other.exec("rollback");
    other.close();
    assert.equal((await store.commit(responseWriteFixture("a"))).result, "ok");
    await store.close();
  });

  it("refuses calls beyond its limit of waiting ones", async () => {
    const store = await open({ pendingLimit: 5 });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, (_, index) => store.commit(responseWriteFixture(`p${index}`))),
    );
    assert.equal(outcomes.filter((outcome) => outcome.status === "fulfilled").length, 5);
    for (const outcome of outcomes) {
      if (outcome.status === "rejected") assert.equal(outcome.reason.code, "storage_unavailable");
    }
    await store.close();
  });
});
