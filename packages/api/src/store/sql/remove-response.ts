import type { Scope } from "@slipstream-stack/inference";
import { sql } from "kysely";
import { responseState, type StoreDatabase } from "./schema.ts";

// Literals, not parameters: only then can a planner see that the partial indexes hold every such row.
const live = sql.lit(responseState.live);
const candidate = sql.lit(responseState.candidate);

/** Takes a response out of reach and drops what only its id could show; the sweep takes the row. */
export async function removeResponse(
  database: StoreDatabase,
  scope: Scope,
  id: string,
  now: number,
): Promise<boolean> {
  const changed = await database
    .updateTable("responses")
    .set({ state: responseState.candidate, body: null, lap: null, expires_at: null })
    .where("scope", "=", scope)
    .where("id", "=", id)
    .where("state", "=", responseState.live)
    .where((expression) =>
      expression.or([expression("expires_at", "is", null), expression("expires_at", ">", now)]),
    )
    .returning("key")
    .execute();
  return changed.length > 0;
}

async function expireResponses(database: StoreDatabase, now: number, limit: number): Promise<number> {
  const expired = await database
    .selectFrom("responses")
    .select("key")
    .where("expires_at", "is not", null)
    .where("expires_at", "<=", now)
    .where("state", "=", live)
    .limit(limit)
    .execute();
  for (const { key } of expired) {
    await database
      .updateTable("responses")
      .set({ state: responseState.candidate, body: null, lap: null, expires_at: null })
      .where("key", "=", key)
      .execute();
  }
  return expired.length;
}

async function removeUnusedBlob(database: StoreDatabase, key: number): Promise<void> {
  const user = await database
    .selectFrom("responses")
    .select("key")
    .where((expression) =>
      expression.or([expression("head_key", "=", key), expression("settings_key", "=", key)]),
    )
    .limit(1)
    .executeTakeFirst();
  if (user === undefined) await database.deleteFrom("blobs").where("key", "=", key).execute();
}

/** Deletes a candidate that nothing continues; one that is needed becomes an ancestor. */
async function settleCandidate(database: StoreDatabase, key: number): Promise<boolean> {
  const child = await database
    .selectFrom("responses")
    .select("key")
    .where("parent_key", "=", key)
    .limit(1)
    .executeTakeFirst();
  if (child !== undefined) {
    await database
      .updateTable("responses")
      .set({ state: responseState.ancestor })
      .where("key", "=", key)
      .execute();
    return false;
  }
  const row = await database
    .deleteFrom("responses")
    .where("key", "=", key)
    .returning(["parent_key", "head_key", "settings_key"])
    .executeTakeFirstOrThrow();
  await database.deleteFrom("response_contents").where("response_key", "=", key).execute();
  for (const blob of new Set([row.head_key, row.settings_key])) await removeUnusedBlob(database, blob);
  if (row.parent_key !== null) {
    await database
      .updateTable("responses")
      .set({ state: responseState.candidate })
      .where("key", "=", row.parent_key)
      .where("state", "=", responseState.ancestor)
      .execute();
  }
  return true;
}

/**
 * One bounded step: at most `limit` expiries and `limit` candidates. Each row is looked at once when it is
 * deleted and once when its last child goes, so that kept ancestors cost later sweeps nothing.
 */
export async function sweepResponses(
  database: StoreDatabase,
  now: number,
  limit: number,
): Promise<{ removed: number; more: boolean }> {
  return database.transaction().execute(async (transaction) => {
    const expired = await expireResponses(transaction, now, limit);
    const candidates = await transaction
      .selectFrom("responses")
      .select("key")
      .where("state", "=", candidate)
      // Newest first, so that a chain is taken from its leaf and no ancestor is looked at in vain.
      .orderBy("key", "desc")
      .limit(limit)
      .execute();
    let removed = 0;
    for (const { key } of candidates) if (await settleCandidate(transaction, key)) removed += 1;
    const next = await transaction
      .selectFrom("responses")
      .select("key")
      .where("state", "=", candidate)
      .limit(1)
      .executeTakeFirst();
    return { removed, more: next !== undefined || expired === limit };
  });
}
