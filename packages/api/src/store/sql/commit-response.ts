import type { Hash } from "@slipstream-stack/inference";
import { packMarks, packSampled } from "../record/pack-numbers.ts";
import { packBytes, packText } from "../record/pack-text.ts";
import type { ResponseRecord } from "../record/record.ts";
import { responseState, type StoreDatabase } from "./schema.ts";

/** What became of one write; `needs_blobs` asks for the contents that were taken to be stored. */
export interface CommitOutcome {
  readonly result: "ok" | "parent_gone" | "conflict" | "needs_blobs";
  /** Bytes of the row and of new blobs, as written, indexes and page headers apart. */
  readonly bytes: number;
}

/** A record in the form of its columns. Made before the transaction begins, so that a bad record spoils none. */
export interface PackedRecord {
  readonly record: ResponseRecord;
  readonly lap: Uint8Array;
  readonly body: Uint8Array;
  readonly contents: {
    readonly marks: Uint8Array;
    readonly sampled: Uint8Array | null;
    readonly items: Uint8Array;
  };
  readonly blobs: ReadonlyMap<Hash, Uint8Array>;
  readonly bytes: number;
}

/** @throws RangeError when an id, mark or offset is not an unsigned 32-bit integer. */
export function packRecord(record: ResponseRecord): PackedRecord {
  const lap = packText(record.lap);
  const body = packText(record.body);
  const contents = {
    marks: packMarks(record.marks),
    sampled: record.sampled === null ? null : packBytes(packSampled(record.sampled)),
    items: packText(record.items),
  };
  const texts = [
    record.scope,
    record.id,
    record.chain,
    record.tip.hash,
    record.tokenizer,
    record.fingerprint,
  ];
  const textBytes = texts.reduce((sum, text) => sum + text.length, 0);
  const columns = [lap, body, contents.marks, contents.sampled, contents.items];
  const columnBytes = columns.reduce((sum, column) => sum + (column?.length ?? 0), 0);
  const blobs = new Map(Array.from(record.blobs, ([hash, content]) => [hash, packBytes(content)]));
  return { record, lap, body, contents, blobs, bytes: textBytes + columnBytes };
}

async function blobKeys(database: StoreDatabase, packed: PackedRecord): Promise<ReadonlyMap<Hash, number>> {
  const { scope, head, settings } = packed.record;
  const rows = await database
    .selectFrom("blobs")
    .select(["key", "hash"])
    .where("scope", "=", scope)
    .where("hash", "in", [head, settings])
    .execute();
  return new Map(rows.map((row) => [row.hash, row.key]));
}

async function ensureBlobs(
  database: StoreDatabase,
  packed: PackedRecord,
): Promise<{ head: number; settings: number; added: number } | null> {
  const { scope, head, settings } = packed.record;
  let keys = await blobKeys(database, packed);
  let added = 0;
  const missing = new Set([head, settings].filter((hash) => !keys.has(hash)));
  for (const hash of missing) {
    const content = packed.blobs.get(hash);
    if (content === undefined) return null;
    await database
      .insertInto("blobs")
      .values({ scope, hash, content })
      .onConflict((conflict) => conflict.columns(["scope", "hash"]).doNothing())
      .execute();
    added += content.length;
  }
  if (missing.size > 0) keys = await blobKeys(database, packed);
  const headKey = keys.get(head);
  const settingsKey = keys.get(settings);
  return headKey === undefined || settingsKey === undefined
    ? null
    : { head: headKey, settings: settingsKey, added };
}

/** Writes one response inside the caller's transaction. `now` decides whether the parent has expired. */
export async function commitResponse(
  database: StoreDatabase,
  packed: PackedRecord,
  now: number,
): Promise<CommitOutcome> {
  const { record } = packed;
  const present = await database
    .selectFrom("responses")
    .select(["key", "id", "state", "expires_at"])
    .where("scope", "=", record.scope)
    .where("id", "in", [record.id, record.parent ?? record.id])
    .execute();
  if (present.some((row) => row.id === record.id)) return { result: "conflict", bytes: 0 };
  const parent = present.find((row) => row.id === record.parent);
  const parentLives =
    parent !== undefined &&
    parent.state === responseState.live &&
    (parent.expires_at === null || parent.expires_at > now);
  if (record.parent !== null && !parentLives) return { result: "parent_gone", bytes: 0 };
  const blobs = await ensureBlobs(database, packed);
  if (blobs === null) return { result: "needs_blobs", bytes: 0 };
  const { key } = await database
    .insertInto("responses")
    .values({
      scope: record.scope,
      id: record.id,
      parent_key: parent?.key ?? null,
      chain: record.chain,
      depth: record.depth,
      state: responseState.live,
      expires_at: record.expiresAt,
      input_count: record.inputCount,
      head_key: blobs.head,
      settings_key: blobs.settings,
      tip_length: record.tip.length,
      tip_hash: record.tip.hash,
      tokenizer: record.tokenizer,
      fingerprint: record.fingerprint,
      lap: packed.lap,
      body: packed.body,
    })
    .returning("key")
    .executeTakeFirstOrThrow();
  await database
    .insertInto("response_contents")
    .values({ response_key: key, ...packed.contents })
    .execute();
  return { result: "ok", bytes: packed.bytes + blobs.added };
}
