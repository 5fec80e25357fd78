import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Kysely } from "kysely";
import { NodeSqliteDialect } from "./node-sqlite-dialect.ts";
import { migrate, type StoreDatabase, type StoreTables, sqliteColumnTypes } from "./schema.ts";

/** How a database file is opened; times in milliseconds, sizes in bytes. */
export interface DatabaseSettings {
  readonly path: string;
  /** How long a statement waits for another process's lock. */
  readonly busyTimeoutMs: number;
  /** The file is not grown beyond this; null for no limit but the disk's. */
  readonly maxBytes: number | null;
}

/** Small pages: a lap's row is about one kilobyte, and what a page has left over is lost. */
const pageSize = 2048;
/** Pages of write-ahead log after which it is written back, 8 MB. */
const checkpointPages = 4096;

/** Contents are private: the folder and the file are made for their owner alone. */
function createPrivateFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, "a", 0o600));
}

function configure(connection: DatabaseSync, settings: DatabaseSettings): void {
  connection.exec(`pragma busy_timeout = ${Math.floor(settings.busyTimeoutMs)}`);
  connection.exec(`pragma page_size = ${pageSize}`);
  const journal = connection.prepare("pragma journal_mode = wal").get();
  // Without shared memory (some network folders) there is no log ahead, and only EXTRA survives power loss.
  connection.exec(`pragma synchronous = ${journal?.journal_mode === "wal" ? "full" : "extra"}`);
  connection.exec(`pragma wal_autocheckpoint = ${checkpointPages}`);
  connection.exec("pragma secure_delete = fast");
  const actual = Number(connection.prepare("pragma page_size").get()?.page_size);
  if (settings.maxBytes !== null) {
    connection.exec(`pragma max_page_count = ${Math.max(1, Math.floor(settings.maxBytes / actual))}`);
  }
}

/**
 * Opens or makes the store's file and brings its tables up to date. Every acknowledged transaction is synced.
 * @throws ApiError `store_unavailable` for a newer schema; SQLite's and the file system's own errors otherwise.
 */
export async function openDatabase(settings: DatabaseSettings): Promise<StoreDatabase> {
  createPrivateFile(settings.path);
  const connection = new DatabaseSync(settings.path);
  try {
    configure(connection, settings);
    const database = new Kysely<StoreTables>({ dialect: new NodeSqliteDialect(connection) });
    await migrate(database, sqliteColumnTypes);
    return database;
  } catch (error) {
    connection.close();
    throw error;
  }
}
