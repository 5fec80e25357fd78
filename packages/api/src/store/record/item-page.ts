import { type Item, WireError } from "@slipstream-stack/protocol";
import type { ItemPage, Page } from "../store.ts";

/** Prefixes of generated item ids, by item type (responses-api, section 4). */
const idPrefixes: Readonly<Record<string, string>> = {
  message: "msg",
  reasoning: "rs",
  function_call: "fc",
  function_call_output: "fco",
  custom_tool_call: "ctc",
  custom_tool_call_output: "ctco",
  compaction: "cmp",
  additional_tools: "at",
};

function itemId(item: Item): string | null {
  return "id" in item && typeof item.id === "string" && item.id !== "" ? item.id : null;
}

/**
 * Items of one response with an id each: one that came without gets the same one at every reading, made from
 * its response and place, so that a page can begin after it.
 */
export function withIds(responseId: string, items: readonly Item[]): Item[] {
  return items.map((item, index) => {
    if (itemId(item) !== null) return item;
    const prefix = idPrefixes[item.type] ?? "item";
    return { ...item, id: `${prefix}_${responseId.replace(/^resp_/, "")}_${index}` };
  });
}

/**
 * One page of `items` (oldest first, each with an id).
 * @throws WireError `invalid_value` when no item has the id `after`.
 */
export function itemPage(items: readonly Item[], page: Page): ItemPage {
  const listed = page.order === "asc" ? items : items.toReversed();
  // Of items that share an id the last one counts: paging then ends, where the first one could repeat a page.
  const start = page.after === null ? 0 : listed.findLastIndex((item) => itemId(item) === page.after) + 1;
  if (page.after !== null && start === 0) {
    throw new WireError("invalid_value", `No input item has the id '${page.after}'.`, { param: "after" });
  }
  const data = listed.slice(start, start + page.limit);
  const first = data[0];
  const last = data.at(-1);
  return {
    data,
    firstId: first === undefined ? null : itemId(first),
    lastId: last === undefined ? null : itemId(last),
    hasMore: start + data.length < listed.length,
  };
}
