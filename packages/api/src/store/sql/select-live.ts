import type { Scope } from "@slipstream-stack/inference";
import { sql } from "kysely";
import { responseState, type StoreDatabase } from "./schema.ts";

/** The rows of a scope that an id may name at `now`. */
export function selectLive(database: StoreDatabase, scope: Scope, id: string, now: number) {
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

/** The response and its ancestors as `(key, distance)`, by a recursive query up the parents. */
export function withAncestors(database: StoreDatabase, scope: Scope, id: string, now: number) {
  return database.withRecursive("ancestors(key, parent_key, distance)", (query) =>
    selectLive(query as unknown as StoreDatabase, scope, id, now)
      .select(["responses.key", "responses.parent_key", sql<number>`0`.as("distance")])
      .unionAll(
        query
          .selectFrom("ancestors")
          .innerJoin("responses as parent", "parent.key", "ancestors.parent_key")
          .select(["parent.key", "parent.parent_key", sql<number>`ancestors.distance + 1`.as("distance")]),
      ),
  );
}
