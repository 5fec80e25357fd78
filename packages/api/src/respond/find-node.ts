import { WireError } from "@slipstream-stack/protocol";
import type { ChainNode } from "../chain/chain-node.ts";
import type { RespondDependencies } from "./dependencies.ts";
import { hydrateChain } from "./hydrate-chain.ts";
import type { IncomingCreate } from "./incoming.ts";

/**
 * The response a request continues: in memory, or loaded from the store and rendered once. A `store:false`
 * response is found only on the connection that made it, and only while it is the latest of its lane.
 * @throws WireError previous_response_not_found.
 */
export async function findNode(
  dependencies: RespondDependencies,
  { scope, connection }: IncomingCreate,
  id: string,
): Promise<ChainNode> {
  const held = dependencies.chains.byId(scope, id);
  if (held !== null) {
    const here = connection !== null && dependencies.connections.reaches(connection.id, id);
    if (held.stored || here) return held;
    throw notFound(id);
  }
  const stored = await dependencies.store.chain(scope, id);
  const node = stored.length === 0 ? null : await hydrateChain(dependencies, scope, stored);
  if (node === null) throw notFound(id);
  return node;
}

function notFound(id: string): WireError {
  return new WireError("previous_response_not_found", `Previous response with id '${id}' not found.`, {
    param: "previous_response_id",
  });
}
