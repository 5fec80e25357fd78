import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import {
  CompiledQuery,
  type DatabaseConnection,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
} from "kysely";

/** Prepared statements kept; the query layer has far fewer texts than this. */
const statementLimit = 256;

type SqliteDatabase = Extract<SqliteDialectConfig["database"], { prepare(sql: string): unknown }>;
type SqliteStatement = ReturnType<SqliteDatabase["prepare"]>;

function prepareStatement(database: DatabaseSync, text: string): SqliteStatement {
  const statement = database.prepare(text);
  const bind = (parameters: readonly unknown[]) => parameters as readonly SQLInputValue[];
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...bind(parameters)),
    run: (parameters) => statement.run(...bind(parameters)),
    iterate: (parameters) => statement.iterate(...bind(parameters)),
  };
}

/** Node's own SQLite with the face that Kysely's SQLite driver wants, statements prepared once. */
function withStatementCache(database: DatabaseSync): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  return {
    close: () => database.close(),
    prepare(text) {
      const known = statements.get(text);
      if (known !== undefined) return known;
      if (statements.size >= statementLimit) statements.clear();
      const statement = prepareStatement(database, text);
      statements.set(text, statement);
      return statement;
    },
  };
}

class ImmediateDriver extends SqliteDriver {
  readonly #database: DatabaseSync;

  constructor(config: SqliteDialectConfig, database: DatabaseSync) {
    super(config);
    this.#database = database;
  }

  /** Takes the write lock at once: a later upgrade could fail when another process writes. */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("begin immediate"));
  }

  /** A full disk makes SQLite roll back by itself; a second time would fail and hide what had happened. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.isTransaction) await super.rollbackTransaction(connection);
  }
}

/** Kysely's dialect for `node:sqlite`. */
export class NodeSqliteDialect extends SqliteDialect {
  readonly #config: SqliteDialectConfig;
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    const config = { database: withStatementCache(database) };
    super(config);
    this.#config = config;
    this.#database = database;
  }

  override createDriver(): SqliteDriver {
    return new ImmediateDriver(this.#config, this.#database);
  }
}
