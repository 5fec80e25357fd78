import type { Scope } from "@slipstream-stack/inference";
import { unpackBytes, unpackText } from "../record/pack-text.ts";
import type { ReadRecord } from "../record/record.ts";
import type { StoreDatabase } from "./schema.ts";
import { selectLive } from "./select-live.ts";

export async function readResponse(
  database: StoreDatabase,
  scope: Scope,
  id: string,
  now: number,
): Promise<ReadRecord | null> {
  const row = await selectLive(database, scope, id, now)
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
  const row = await selectLive(database, scope, id, now).select("responses.lap").executeTakeFirst();
  return row === undefined || row.lap === null ? null : unpackText(row.lap);
}
