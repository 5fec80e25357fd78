import { WireError } from "@slipstream-stack/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";
import { codexCatalogue } from "../../models/codex-catalogue.ts";
import { modelList, modelObject } from "../../models/model-listing.ts";
import type { Service } from "../service.ts";
import { compactRoute, createRoute, inputTokensRoute } from "./create-route.ts";
import type { RequestContext } from "./request-context.ts";
import { inputItemsRoute, lapRoute, removeRoute, retrieveRoute } from "./stored-routes.ts";

/** What a route's handler gets. */
export interface RouteCall {
  readonly service: Service;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly context: RequestContext;
  /** The `:id` of the path, or the empty string. */
  readonly id: string;
}

export interface Route {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  /** Reachable without a key: says nothing but whether the server is up. */
  readonly isPublic?: boolean;
  /** Returns the answer's JSON text, or the reply where it has been sent already. */
  readonly handle: (call: RouteCall) => Promise<unknown>;
}

function oneModel({ service, id }: RouteCall): Promise<string> {
  const model = service.handlers.models.find((candidate) => candidate.id === id);
  if (model !== undefined) return Promise.resolve(JSON.stringify(modelObject(model)));
  const known = service.handlers.models.map((candidate) => candidate.id).join(", ");
  return Promise.reject(
    new WireError("model_not_found", `The model "${id}" is not served here; there is: ${known}.`, {
      param: "model",
    }),
  );
}

function readiness({ service, reply }: RouteCall): Promise<string> {
  const isReady = service.handlers.isReady() && !service.isDraining();
  if (!isReady) void reply.code(503);
  return Promise.resolve(JSON.stringify({ status: isReady ? "ready" : "not_ready" }));
}

async function exposition({ service, reply }: RouteCall): Promise<string> {
  const { contentType, text } = await service.exposition();
  void reply.type(contentType);
  return text;
}

/** Every path of the server; all else is `not_found` or `method_not_allowed`. */
export const routes: readonly Route[] = [
  {
    method: "POST",
    path: "/v1/responses",
    handle: ({ service, request, reply, context }) => createRoute(service, request, reply, context),
  },
  {
    method: "POST",
    path: "/v1/responses/input_tokens",
    handle: ({ service, request, reply, context }) => inputTokensRoute(service, request, reply, context),
  },
  {
    method: "POST",
    path: "/v1/responses/compact",
    handle: ({ service, request, reply, context }) => compactRoute(service, request, reply, context),
  },
  {
    method: "GET",
    path: "/v1/responses/:id",
    handle: ({ service, context, id, request }) =>
      retrieveRoute(service, context.scope, id, request.query as Record<string, unknown>),
  },
  {
    method: "DELETE",
    path: "/v1/responses/:id",
    handle: ({ service, context, id }) => removeRoute(service, context.scope, id),
  },
  {
    method: "GET",
    path: "/v1/responses/:id/input_items",
    handle: ({ service, context, id, request }) =>
      inputItemsRoute(service, context.scope, id, request.query as Record<string, unknown>),
  },
  {
    method: "GET",
    path: "/slipstream/v1/responses/:id/lap",
    handle: ({ service, context, id }) => lapRoute(service, context.scope, id),
  },
  {
    method: "GET",
    path: "/v1/models",
    handle: ({ service }) => Promise.resolve(JSON.stringify(modelList(service.handlers.models))),
  },
  { method: "GET", path: "/v1/models/:id", handle: oneModel },
  {
    method: "GET",
    path: "/codex/models",
    handle: ({ service }) => Promise.resolve(JSON.stringify(codexCatalogue(service.handlers.models))),
  },
  {
    method: "GET",
    path: "/healthz",
    isPublic: true,
    handle: () => Promise.resolve(JSON.stringify({ status: "ok" })),
  },
  { method: "GET", path: "/readyz", isPublic: true, handle: readiness },
  { method: "GET", path: "/metrics", handle: exposition },
];
