import type { Scope } from "@slipstream-stack/inference";
import type { Item } from "@slipstream-stack/protocol";
import { itemPage, withIds } from "../record/item-page.ts";
import { unpackText } from "../record/pack-text.ts";
import type { ItemPage, Page } from "../store.ts";
import type { StoreDatabase } from "./schema.ts";
import { withAncestors } from "./select-live.ts";

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
