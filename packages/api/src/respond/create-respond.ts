import type { Scope } from "@slipstream-stack/inference";
import { answer } from "./answer.ts";
import type { RespondDependencies } from "./dependencies.ts";
import type { ConnectionObserver, ConnectionRef, Respond } from "./incoming.ts";
import { prewarm } from "./prewarm.ts";
import { resolveRequest } from "./resolve-request.ts";

/**
 * The pipeline behind every transport: resolve, render, submit, stream, commit. A continuation that fails on
 * its own lane evicts the response it continued (responses-api, 9.4); a failed fork and a cancel do not.
 */
export function createRespond(dependencies: RespondDependencies): Respond {
  return async (incoming, emit) => {
    try {
      const request = await resolveRequest(dependencies, incoming);
      const warm =
        incoming.request.generate === false || incoming.request.prompt_cache_options?.prewarm === true;
      const response = await (warm ? prewarm : answer)(dependencies, request, emit);
      if (response.status === "failed") evictParent(dependencies, incoming);
      return response;
    } catch (error) {
      evictParent(dependencies, incoming);
      throw error;
    }
  };
}

/** Keeps what is reachable on each connection in step with the transports. */
export function observeConnections({ connections }: RespondDependencies): ConnectionObserver {
  return {
    closed: (connectionId) => connections.close(connectionId),
    refused: (_scope: Scope, connection: ConnectionRef, previous) => {
      connections.evict(connection.id, connection.lane, previous);
    },
  };
}

/** The parent becomes unreachable by id; its content stays, so that a full resend still finds its tokens. */
function evictParent(
  { connections }: RespondDependencies,
  { connection, request }: Parameters<Respond>[0],
): void {
  const previous = request.previous_response_id;
  if (connection === null || previous === null || previous === undefined) return;
  connections.evict(connection.id, connection.lane, previous);
}
