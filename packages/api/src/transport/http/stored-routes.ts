import type { Scope } from "@slipstream-stack/inference";
import { WireError } from "@slipstream-stack/protocol";
import type { Page } from "../../store/store.ts";
import type { Service } from "../service.ts";

type Query = Readonly<Record<string, unknown>>;

const maxPage = 100;
const defaultPage = 20;

function notFound(id: string): WireError {
  return new WireError("not_found", `Response with id "${id}" not found.`, { param: "response_id" });
}

/** `GET /v1/responses/{id}`. Streaming a finished response again is not built. */
export async function retrieveRoute(
  service: Service,
  scope: Scope,
  id: string,
  query: Query,
): Promise<string> {
  if (query.stream === "true") {
    throw new WireError("invalid_value", "Stored responses are not streamed; leave `stream` out.", {
      param: "stream",
    });
  }
  const response = await service.handlers.stored.retrieve(scope, id);
  if (response === null) throw notFound(id);
  return JSON.stringify(response);
}

/** `DELETE /v1/responses/{id}`. */
export async function removeRoute(service: Service, scope: Scope, id: string): Promise<string> {
  if (!(await service.handlers.stored.remove(scope, id))) throw notFound(id);
  return JSON.stringify({ id, object: "response", deleted: true });
}

function readPage(query: Query): Page {
  const { after = null, limit = String(defaultPage), order = "desc" } = query;
  const count = typeof limit === "string" && /^\d{1,4}$/.test(limit) ? Number(limit) : 0;
  if (count < 1 || count > maxPage) {
    throw new WireError("invalid_value", `\`limit\` is a number from 1 to ${maxPage}.`, { param: "limit" });
  }
  if (order !== "asc" && order !== "desc") {
    throw new WireError("invalid_value", '`order` is "asc" or "desc".', { param: "order" });
  }
  if (after !== null && typeof after !== "string") {
    throw new WireError("invalid_value", "`after` is the id of one item.", { param: "after" });
  }
  return { after, limit: count, order };
}

/** `GET /v1/responses/{id}/input_items`: a page of the input, newest first unless `order=asc`. */
export async function inputItemsRoute(
  service: Service,
  scope: Scope,
  id: string,
  query: Query,
): Promise<string> {
  const page = await service.handlers.stored.inputItems(scope, id, readPage(query));
  if (page === null) throw notFound(id);
  return JSON.stringify({
    object: "list",
    data: page.data,
    first_id: page.firstId,
    last_id: page.lastId,
    has_more: page.hasMore,
  });
}

/** `GET /slipstream/v1/responses/{id}/lap`: what the response cost and why. */
export async function lapRoute(service: Service, scope: Scope, id: string): Promise<string> {
  const lap = await service.handlers.laps.find(scope, id);
  if (lap === null) throw notFound(id);
  return JSON.stringify(lap);
}
