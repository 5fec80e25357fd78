import { setImmediate } from "node:timers/promises";
import type { Item, JsonObject } from "@slipstream-stack/protocol";
import type { StoredNode, StoredResponse } from "../store.ts";
import type { ChainRecord, ReadRecord } from "./record.ts";

/** Characters of JSON parsed before other work of the event loop gets its turn. */
const sliceCharacters = 64 * 1024;

/** The response a stored record stands for. */
export function decodeResponse(record: ReadRecord): StoredResponse {
  return {
    ...record,
    body: JSON.parse(record.body) as JsonObject,
    items: JSON.parse(record.items) as Item[],
  };
}

/** The nodes of a stored chain. A long one is parsed in slices, so that no piece of it holds the event loop. */
export async function decodeChain(record: ChainRecord): Promise<StoredNode[]> {
  const nodes: StoredNode[] = [];
  let parsed = 0;
  for (const node of record.nodes) {
    const headContent = record.blobs.get(node.head);
    const settingsContent = record.blobs.get(node.settings);
    // A sweep of another process can fall between the two reads; then the chain is gone.
    if (headContent === undefined || settingsContent === undefined) return [];
    nodes.push({
      ...node,
      body: JSON.parse(node.body) as JsonObject,
      items: JSON.parse(node.items) as Item[],
      headContent,
      settingsContent,
    });
    parsed += node.items.length + node.body.length;
    if (parsed < sliceCharacters) continue;
    parsed = 0;
    await setImmediate();
  }
  return nodes;
}
