import type { Hash, Scope } from "@slipstream-stack/inference";
import type { Item } from "@slipstream-stack/protocol";
import { sql } from "kysely";
import { itemPage, withIds } from "../record/item-page.ts";
import { unpackMarks, unpackSampled } from "../record/pack-numbers.ts";
import { unpackBytes, unpackText } from "../record/pack-text.ts";
import type { ChainRecord, NodeRecord, ReadRecord } from "../record/record.ts";
import type { ItemPage, Page } from "../store.ts";
import { responseState, type StoreDatabase } from "./schema.ts";

/** The rows of a scope that an id may name at `now`. */
function liveResponse(database: StoreDatabase, scope: Scope, id: string, now: number) {
  return database
    .selectFrom("responses")
    .where("responses.scope", "=", scope)
    .where("responses.id", "=", id)
    .where("responses.state", "=", responseState.live)
    .where((expression) =>
      expression.or([
        expression("responses.expires_at", "is", null),
        expression("responses.expires_at", ">", now),
      ]),
    );
}

export async function readResponse(
  database: StoreDatabase,
  scope: Scope,
  id: string,
  now: number,
): Promise<ReadRecord | null> {
  const row = await liveResponse(database, scope, id, now)
    .innerJoin("blobs as settings", "settings.key", "responses.settings_key")
    .innerJoin("response_contents as contents", "contents.response_key", "responses.key")
    .leftJoin("responses as parent", "parent.key", "responses.parent_key")
    .select([
      "responses.body",
      "contents.items",
      "responses.input_count",
      "parent.id as parent",
      "settings.content as settings",
    ])
    .executeTakeFirst();
  if (row === undefined || row.body === null) return null;
  return {
    id,
    parent: row.parent,
    body: unpackText(row.body),
    items: unpackText(row.items),
    inputCount: row.input_count,
    settings: unpackBytes(row.settings),
  };
}

/** The lap record of a stored response as JSON text. */
export async function readLap(
  database: StoreDatabase,
  scope: Scope,
  id: string,
  now: number,
): Promise<string | null> {
  const row = await liveResponse(database, scope, id, now).select("responses.lap").executeTakeFirst();
  return row === undefined || row.lap === null ? null : unpackText(row.lap);
}

/** The response and its ancestors as `(key, distance)`, by a recursive query up the parents. */
function withAncestors(database: StoreDatabase, scope: Scope, id: string, now: number) {
  return database.withRecursive("ancestors(key, parent_key, distance)", (query) =>
    liveResponse(query as unknown as StoreDatabase, scope, id, now)
      .select(["responses.key", "responses.parent_key", sql<number>`0`.as("distance")])
      .unionAll(
        query
          .selectFrom("ancestors")
          .innerJoin("responses as parent", "parent.key", "ancestors.parent_key")
          .select(["parent.key", "parent.parent_key", sql<number>`ancestors.distance + 1`.as("distance")]),
      ),
  );
}

async function blobContents(
  database: StoreDatabase,
  scope: Scope,
  hashes: readonly Hash[],
): Promise<Map<Hash, Uint8Array>> {
  const contents = new Map<Hash, Uint8Array>();
  // One at a time: a chain has few, and a list of any length would exceed a database's limit of parameters.
  for (const hash of hashes) {
    const row = await database
      .selectFrom("blobs")
      .select("content")
      .where("scope", "=", scope)
      .where("hash", "=", hash)
      .executeTakeFirst();
    if (row !== undefined) contents.set(hash, unpackBytes(row.content));
  }
  return contents;
}

/** Root to leaf, with each head and settings content once; no nodes where the id is not there. */
export async function readChain(
  database: StoreDatabase,
  scope: Scope,
  id: string,
  now: number,
): Promise<ChainRecord> {
  const rows = await withAncestors(database, scope, id, now)
    .selectFrom("ancestors")
    .innerJoin("responses", "responses.key", "ancestors.key")
    .innerJoin("response_contents as contents", "contents.response_key", "ancestors.key")
    .innerJoin("blobs as head", "head.key", "responses.head_key")
    .innerJoin("blobs as settings", "settings.key", "responses.settings_key")
    .selectAll("responses")
    .select(["contents.marks", "contents.sampled", "contents.items"])
    .select(["head.hash as head", "settings.hash as settings"])
    .orderBy("ancestors.distance", "desc")
    .execute();
  const nodes = rows.map((row, index): NodeRecord => {
    const deleted = row.state !== responseState.live || (row.expires_at !== null && row.expires_at <= now);
    return {
      scope,
      id: row.id,
      parent: rows[index - 1]?.id ?? null,
      chain: row.chain,
      depth: row.depth,
      inputCount: row.input_count,
      items: unpackText(row.items),
      sampled: row.sampled === null ? null : unpackSampled(unpackBytes(row.sampled)),
      marks: unpackMarks(row.marks),
      tokenizer: row.tokenizer,
      fingerprint: row.fingerprint,
      head: row.head,
      settings: row.settings,
      tip: { hash: row.tip_hash, length: row.tip_length },
      body: deleted || row.body === null ? "{}" : unpackText(row.body),
      deleted,
    };
  });
  const hashes = new Set(nodes.flatMap((node) => [node.head, node.settings]));
  return { nodes, blobs: await blobContents(database, scope, [...hashes]) };
}

/**
 * A page of what a response was given: all items of its ancestors, then its own input.
 * @throws WireError `invalid_value` when no item has the id `after`.
 */
export async function readInputItems(
  database: StoreDatabase,
  scope: Scope,
  id: string,
  page: Page,
  now: number,
): Promise<ItemPage | null> {
  const rows = await withAncestors(database, scope, id, now)
    .selectFrom("ancestors")
    .innerJoin("responses", "responses.key", "ancestors.key")
    .innerJoin("response_contents as contents", "contents.response_key", "ancestors.key")
    .select(["responses.id", "contents.items", "responses.input_count"])
    .orderBy("ancestors.distance", "desc")
    .execute();
  if (rows.length === 0) return null;
  const items = rows.flatMap((row) => {
    const all = withIds(row.id, JSON.parse(unpackText(row.items)) as Item[]);
    return row.id === id ? all.slice(0, row.input_count) : all;
  });
  return itemPage(items, page);
}
