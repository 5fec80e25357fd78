import { type Generated, type Kysely, sql } from "kysely";
import { ApiError } from "../../errors.ts";

/** The schema version this code reads and writes. */
export const schemaVersion = 1;

/**
 * Whether a response can be found by its id. `candidate` and `ancestor` are deleted: a candidate has still to
 * be looked at by the sweep, an ancestor was looked at and is kept for the responses that continue it.
 */
export const responseState = { live: 0, candidate: 1, ancestor: 2 } as const;

/** What is known of one response apart from its items. */
interface ResponseTable {
  key: Generated<number>;
  scope: string;
  id: string;
  parent_key: number | null;
  chain: string;
  depth: number;
  state: number;
  /** Milliseconds since 1970, or null to keep it. */
  expires_at: number | null;
  input_count: number;
  head_key: number;
  settings_key: number;
  tip_length: number;
  tip_hash: string;
  tokenizer: string;
  fingerprint: string;
  lap: Uint8Array | null;
  body: Uint8Array | null;
}

/**
 * The items of one response and what belongs to them. Apart from its row, so that walking a chain, deleting
 * and expiring rewrite no content and need no room, which a full disk would not have.
 */
interface ContentTable {
  response_key: number;
  marks: Uint8Array;
  sampled: Uint8Array | null;
  items: Uint8Array;
}

/** Heads and settings, each stored once per scope. */
interface BlobTable {
  key: Generated<number>;
  scope: string;
  hash: string;
  content: Uint8Array;
}

interface SchemaTable {
  name: string;
  version: number;
}

export interface StoreTables {
  responses: ResponseTable;
  response_contents: ContentTable;
  blobs: BlobTable;
  store_schema: SchemaTable;
}

export type StoreDatabase = Kysely<StoreTables>;

/** What the column types are called in one database system. */
export interface ColumnTypes {
  readonly bytes: ReturnType<typeof sql>;
  /** An integer primary key that numbers itself. */
  readonly key: ReturnType<typeof sql>;
  readonly integer: ReturnType<typeof sql>;
}

export const sqliteColumnTypes: ColumnTypes = {
  bytes: sql`blob`,
  key: sql`integer`,
  integer: sql`integer`,
};

async function createTables(database: StoreDatabase, types: ColumnTypes): Promise<void> {
  await database.schema
    .createTable("blobs")
    .addColumn("key", types.key, (column) => column.primaryKey())
    .addColumn("scope", "text", (column) => column.notNull())
    .addColumn("hash", "text", (column) => column.notNull())
    .addColumn("content", types.bytes, (column) => column.notNull())
    .addUniqueConstraint("blobs_by_hash", ["scope", "hash"])
    .execute();
  await database.schema
    .createTable("responses")
    .addColumn("key", types.key, (column) => column.primaryKey())
    .addColumn("scope", "text", (column) => column.notNull())
    .addColumn("id", "text", (column) => column.notNull())
    .addColumn("parent_key", types.integer)
    .addColumn("chain", "text", (column) => column.notNull())
    .addColumn("depth", types.integer, (column) => column.notNull())
    .addColumn("state", types.integer, (column) => column.notNull())
    .addColumn("expires_at", types.integer)
    .addColumn("input_count", types.integer, (column) => column.notNull())
    .addColumn("head_key", types.integer, (column) => column.notNull())
    .addColumn("settings_key", types.integer, (column) => column.notNull())
    .addColumn("tip_length", types.integer, (column) => column.notNull())
    .addColumn("tip_hash", "text", (column) => column.notNull())
    .addColumn("tokenizer", "text", (column) => column.notNull())
    .addColumn("fingerprint", "text", (column) => column.notNull())
    .addColumn("lap", types.bytes)
    .addColumn("body", types.bytes)
    .addUniqueConstraint("responses_by_id", ["scope", "id"])
    .execute();
  await database.schema
    .createTable("response_contents")
    .addColumn("response_key", types.integer, (column) => column.primaryKey())
    .addColumn("marks", types.bytes, (column) => column.notNull())
    .addColumn("sampled", types.bytes)
    .addColumn("items", types.bytes, (column) => column.notNull())
    .execute();
}

async function createIndexes(database: StoreDatabase): Promise<void> {
  await database.schema
    .createIndex("responses_by_parent")
    .on("responses")
    .column("parent_key")
    .where("parent_key", "is not", null)
    .execute();
  await database.schema.createIndex("responses_by_head").on("responses").column("head_key").execute();
  await database.schema.createIndex("responses_by_settings").on("responses").column("settings_key").execute();
  // Partial, and with literal conditions: only what a sweep looks for takes room in them.
  await sql`create index responses_by_expiry on responses (expires_at) where expires_at is not null and state = 0`.execute(
    database,
  );
  await sql`create index responses_to_sweep on responses (key) where state = 1`.execute(database);
}

async function storedVersion(database: StoreDatabase): Promise<number> {
  await database.schema
    .createTable("store_schema")
    .ifNotExists()
    .addColumn("name", "text", (column) => column.primaryKey())
    .addColumn("version", "integer", (column) => column.notNull())
    .execute();
  const row = await database
    .selectFrom("store_schema")
    .select("version")
    .where("name", "=", "responses")
    .executeTakeFirst();
  return row?.version ?? 0;
}

/** Step `n` leads from version `n` to `n + 1`. */
const migrations: readonly ((database: StoreDatabase, types: ColumnTypes) => Promise<void>)[] = [
  async (database, types) => {
    await createTables(database, types);
    await createIndexes(database);
  },
];

/**
 * Brings the tables to `schemaVersion`, in one transaction.
 * @throws ApiError `store_unavailable` when a newer version of this program has made them.
 */
export async function migrate(database: StoreDatabase, types: ColumnTypes): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    const from = await storedVersion(transaction);
    if (from > schemaVersion) {
      throw new ApiError(
        "store_unavailable",
        `The store has schema version ${from}, this program knows ${schemaVersion}: ` +
          "use the newer program that made it, or another --store path.",
      );
    }
    for (const step of migrations.slice(from)) await step(transaction, types);
    if (from === schemaVersion) return;
    await transaction
      .insertInto("store_schema")
      .values({ name: "responses", version: schemaVersion })
      .onConflict((conflict) => conflict.column("name").doUpdateSet({ version: schemaVersion }))
      .execute();
  });
}
