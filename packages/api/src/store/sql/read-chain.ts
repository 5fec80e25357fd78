import type { Hash, Scope } from "@slipstream-stack/inference";
import { unpackMarks, unpackSampled } from "../record/pack-numbers.ts";
import { unpackBytes, unpackText } from "../record/pack-text.ts";
import type { ChainRecord, NodeRecord } from "../record/record.ts";
import { responseState, type StoreDatabase } from "./schema.ts";
import { withAncestors } from "./select-live.ts";

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

/** A stretch of a chain, counted in nodes from its leaf. */
export interface ChainPart {
  readonly skip: number;
  readonly take: number;
}

/**
 * A part of a chain, leaf first, with each head and settings content once; no nodes beyond the root, or where
 * the id is not there. In parts, as a thread that is sent a thousand nodes at once stands still to unpack them.
 */
export async function readChain(
  database: StoreDatabase,
  scope: Scope,
  id: string,
  now: number,
  part: ChainPart,
): Promise<ChainRecord> {
  const rows = await withAncestors(database, scope, id, now)
    .selectFrom("ancestors")
    .innerJoin("responses", "responses.key", "ancestors.key")
    .innerJoin("response_contents as contents", "contents.response_key", "ancestors.key")
    .innerJoin("blobs as head", "head.key", "responses.head_key")
    .innerJoin("blobs as settings", "settings.key", "responses.settings_key")
    .leftJoin("responses as parent", "parent.key", "responses.parent_key")
    .selectAll("responses")
    .select(["contents.marks", "contents.sampled", "contents.items"])
    .select(["head.hash as head", "settings.hash as settings", "parent.id as parent"])
    .where("ancestors.distance", ">=", part.skip)
    .where("ancestors.distance", "<", part.skip + part.take)
    .orderBy("ancestors.distance")
    .execute();
  const nodes = rows.map((row): NodeRecord => {
    const deleted = row.state !== responseState.live || (row.expires_at !== null && row.expires_at <= now);
    return {
      scope,
      id: row.id,
      parent: row.parent,
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
