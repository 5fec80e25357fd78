import type { ResponseObject } from "@slipstream-stack/protocol";
import type { ChainNode } from "../chain/chain-node.ts";
import { commitResponse } from "./commit-response.ts";
import type { RespondDependencies } from "./dependencies.ts";
import { type LapFacts, lapRecord } from "./lap.ts";
import type { ResolvedRequest } from "./resolve-request.ts";

/** A response that is about to be announced as completed. */
export interface Published {
  readonly request: ResolvedRequest;
  readonly node: ChainNode;
  readonly response: ResponseObject;
  readonly facts: LapFacts;
}

/**
 * Makes a response reachable: durable first where it is stored, then in memory by id and by content, then its
 * lap record. When this resolves the client may be told.
 */
export async function publish(dependencies: RespondDependencies, published: Published): Promise<void> {
  const { clock, chains, connections, laps } = dependencies;
  const { request, node, response, facts } = published;
  const before = clock.now();
  const unstored = lapRecord(facts, { storeBytes: 0, storeMs: 0, endedAt: before });
  const storeBytes = request.store
    ? await commitResponse(dependencies, request, node, response, unstored)
    : 0;
  const endedAt = clock.now();
  chains.commit(node);
  const { connection, scope } = request.incoming;
  if (connection !== null) connections.advance(connection.id, connection.lane, node.id);
  laps.add(scope, lapRecord(facts, { storeBytes, storeMs: endedAt - before, endedAt }));
}
