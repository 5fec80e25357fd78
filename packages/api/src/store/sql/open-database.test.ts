import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, it } from "node:test";
import { sql } from "kysely";
import { recordOf } from "../record/record.ts";
import { responseWriteFixture } from "../testing/response-write.ts";
import { commitResponse, packRecord } from "./commit-response.ts";
import { type DatabaseSettings, openDatabase } from "./open-database.ts";
import { migrate, type StoreDatabase, schemaVersion, sqliteColumnTypes } from "./schema.ts";

const folder = mkdtempSync(join(tmpdir(), "slipstream-database-"));
const settings: DatabaseSettings = { path: join(folder, "store.sqlite"), busyTimeoutMs: 100, maxBytes: null };
let database: StoreDatabase;
before(async () => {
  database = await openDatabase(settings);
});
after(async () => {
  await database.destroy();
  rmSync(folder, { recursive: true });
});

async function pragma(name: string): Promise<unknown> {
  const { rows } = await sql<Record<string, unknown>>`${sql.raw(`pragma ${name}`)}`.execute(database);
  return Object.values(rows[0] ?? {})[0];
}

describe("an opened database", () => {
  it("writes ahead and syncs every transaction, so that it survives the end of the power", async () => {
    assert.equal(await pragma("journal_mode"), "wal");
    // 2 is FULL; in NORMAL the log is synced only now and then.
    assert.equal(await pragma("synchronous"), 2);
  });

  it("is at the present version, and stays as it is when it is migrated again", async () => {
    const tables = () =>
      sql<{ sql: string }>`select sql from sqlite_schema order by name`
        .execute(database)
        .then(({ rows }) => rows);
    const made = await tables();
    await migrate(database, sqliteColumnTypes);
    assert.deepEqual(await tables(), made);
    const row = await database.selectFrom("store_schema").selectAll().executeTakeFirstOrThrow();
    assert.deepEqual({ ...row }, { name: "responses", version: schemaVersion });
  });

  it("rolls back what a failed transaction has written", async () => {
    const packed = packRecord(recordOf(responseWriteFixture("a"), () => false));
    const failing = database.transaction().execute(async (transaction) => {
      assert.equal((await commitResponse(transaction, packed, 0)).result, "ok");
      throw new Error("changed my mind");
    });
    await assert.rejects(failing);
    const counted = ["responses", "response_contents", "blobs"] as const;
    for (const table of counted) assert.deepEqual(await database.selectFrom(table).selectAll().execute(), []);
  });

  it("finds children, expired and deleted responses, and users of a blob without looking at the others", () => {
    const connection = new DatabaseSync(settings.path);
    const plan = (query: string) =>
      connection
        .prepare(`explain query plan ${query}`)
        .all()
        .map((step) => String(step.detail));
    const searched = {
      "select key from responses where parent_key = ? limit 1": "responses_by_parent",
      "select key from responses where expires_at is not null and expires_at <= ? and state = 0":
        "responses_by_expiry",
      "select key from responses where state = 1 order by key desc limit ?": "responses_to_sweep",
      "select key from responses where head_key = ? or settings_key = ? limit 1": "responses_by_head",
    };
    for (const [query, index] of Object.entries(searched)) {
      assert.ok(
        plan(query).some((step) => step.includes(index)),
        `${query}: ${plan(query)}`,
      );
    }
    connection.close();
  });
});
