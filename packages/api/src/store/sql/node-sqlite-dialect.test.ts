import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { it } from "node:test";
import { CompiledQuery, Kysely } from "kysely";
import { NodeSqliteDialect } from "./node-sqlite-dialect.ts";

const say = (text: string) => CompiledQuery.raw(text);

it("a transaction that SQLite has rolled back by itself fails with what made it, and the next one works", async () => {
  const database = new DatabaseSync(":memory:");
  await using queries = new Kysely<Record<string, never>>({ dialect: new NodeSqliteDialect(database) });
  await queries.executeQuery(say("create table numbers (value)"));
  const full = new Error("the disk is full");
  const failing = queries.transaction().execute(async (transaction) => {
    await transaction.executeQuery(say("insert into numbers values (1)"));
    database.exec("rollback");
    throw full;
  });
  await assert.rejects(failing, (error) => error === full);
  await queries
    .transaction()
    .execute((transaction) => transaction.executeQuery(say("insert into numbers values (2)")));
  assert.deepEqual(
    database
      .prepare("select value from numbers")
      .all()
      .map(({ value }) => value),
    [2],
  );
});

it("what fails in the middle of a transaction leaves nothing of it", async () => {
  const database = new DatabaseSync(":memory:");
  await using queries = new Kysely<Record<string, never>>({ dialect: new NodeSqliteDialect(database) });
  await queries.executeQuery(say("create table numbers (value)"));
  const failing = queries.transaction().execute(async (transaction) => {
    await transaction.executeQuery(say("insert into numbers values (1)"));
    await transaction.executeQuery(say("insert into nothing values (1)"));
  });
  await assert.rejects(failing, { code: "ERR_SQLITE_ERROR" });
  assert.equal(database.prepare("select value from numbers").all().length, 0);
});
