import type { Socket } from "node:net";
import { WireError, wireErrorCodes } from "@slipstream-stack/protocol";
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from "fastify";
import { checkOrigin } from "../auth/origin-guard.ts";
import { recordRequest } from "../request-log.ts";
import { inheritanceHeader, type Service } from "../service.ts";
import { errorHeaders, wireFailure } from "../wire-failure.ts";
import { allowOrigin, answerPreflight, isPreflight } from "./cors.ts";
import type { RequestContext } from "./request-context.ts";
import { type Route, routes } from "./routes.ts";

const contextKey = "slipstreamContext";
const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

function contextOf(request: FastifyRequest): RequestContext {
  return request.getDecorator<RequestContext>(contextKey);
}

function replyError(reply: FastifyReply, error: WireError): void {
  void reply
    .code(error.status)
    .headers(errorHeaders(error))
    .type("application/json; charset=utf-8")
    .send(JSON.stringify({ error: error.body() }));
}

function sendError(request: FastifyRequest, reply: FastifyReply, failure: unknown): void {
  const error = wireFailure(failure);
  const context = contextOf(request);
  context.code = error.code;
  context.cause = error.cause;
  replyError(reply, error);
}

/** Answers a path that cannot be decoded, or whose id is longer than any. */
function refusePath(reply: FastifyReply): void {
  replyError(
    reply,
    new WireError("not_found", "There is nothing at this path; it is not well formed or too long."),
  );
}

/** Answers what is not HTTP at all, and headers or bodies that do not arrive in time. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const isLate = error.code === "ERR_HTTP_REQUEST_TIMEOUT";
  const failure = new WireError(
    "invalid_value",
    isLate ? "The request did not arrive in time." : "The request is not valid HTTP.",
  );
  const body = JSON.stringify({ error: failure.body() });
  socket.end(
    `HTTP/1.1 ${isLate ? "408 Request Timeout" : "400 Bad Request"}\r\nconnection: close\r\n` +
      `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/** Checks what every request has to pass before its body is looked at. */
function admit(service: Service, request: FastifyRequest, reply: FastifyReply): void {
  const context = contextOf(request);
  void reply.header("x-request-id", context.requestId);
  if (service.settingsInheritance) void reply.header(inheritanceHeader, "1");
  checkOrigin(request.headers, service.originRules);
  allowOrigin(request, reply);
  if (isPreflight(request)) return;
  const isPublic = routes.some((route) => route.isPublic === true && route.path === request.routeOptions.url);
  if (isPublic) return;
  context.scope = service.authenticator.authenticate(request.headers.authorization);
  if (service.isDraining()) {
    throw new WireError("server_error", "The server is closing.", { status: 503, retryAfterSeconds: 5 });
  }
}

function hookLifecycle(app: FastifyInstance, service: Service): void {
  app.addHook("onRequest", (request, reply, next) => {
    request.setDecorator<RequestContext>(contextKey, {
      requestId: service.newId("req"),
      startedAt: service.clock.now(),
      scope: "",
      transport: "http",
      bytesIn: 0,
      bytesOut: 0,
      responseId: null,
      code: null,
      outcome: null,
      cause: undefined,
    });
    logWhenOver(service, request, reply);
    try {
      admit(service, request, reply);
      if (isPreflight(request)) answerPreflight(reply);
      else next();
    } catch (error) {
      next(wireFailure(error));
    }
  });
  app.addHook("onSend", (request, _reply, payload, next) => {
    if (typeof payload === "string") contextOf(request).bytesOut = Buffer.byteLength(payload);
    next();
  });
}

/** Writes the log line when the exchange is over, also where the client has left before that. */
function logWhenOver(service: Service, request: FastifyRequest, reply: FastifyReply): void {
  reply.raw.once("close", () => {
    const context = contextOf(request);
    const hasLeft = !reply.raw.writableFinished;
    recordRequest(service.logger, service.metrics, {
      requestId: context.requestId,
      transport: context.transport,
      route: `${request.method} ${request.routeOptions.url ?? "unknown"}`,
      status: hasLeft ? wireErrorCodes.client_closed_request.status : (context.outcome ?? reply.statusCode),
      code: hasLeft ? "client_closed_request" : context.code,
      scope: context.scope === "" ? null : context.scope,
      responseId: context.responseId,
      ms: service.clock.now() - context.startedAt,
      bytesIn: context.bytesIn,
      bytesOut: context.bytesOut,
      cause: context.cause,
    });
  });
}

function addRoute(app: FastifyInstance, service: Service, route: Route): void {
  app.route({
    method: route.method,
    url: route.path,
    handler: async (request, reply) => {
      void reply.type("application/json; charset=utf-8");
      const { id = "" } = request.params as { id?: string };
      return route.handle({ service, request, reply, context: contextOf(request), id });
    },
  });
}

/** Answers every other method of a known path. */
function refuseOtherMethods(app: FastifyInstance): void {
  for (const url of new Set(routes.map((route) => route.path))) {
    const allowed = routes.filter((route) => route.path === url).map((route) => route.method);
    const others = methods.filter((method) => !(allowed as readonly string[]).includes(method));
    app.route({
      method: [...others],
      url,
      handler: async (_request, reply) => {
        void reply.header("allow", allowed.join(", "));
        const hint = url === "/v1/responses" ? " A GET has to be a WebSocket upgrade." : "";
        throw new WireError("method_not_allowed", `${url} takes ${allowed.join(", ")}.${hint}`);
      },
    });
  }
}

function unknownPath(request: FastifyRequest): WireError {
  const path = request.url.split("?")[0] ?? "/";
  const known = routes.some(({ path: pattern }) => {
    const expression = new RegExp(`^${pattern.replace(/:id/g, "[^/]+")}$`);
    return pattern.startsWith("/v1/") && expression.test(`/v1${path}`);
  });
  const hint = known ? ` Did you mean /v1${path}? The base URL ends in /v1.` : "";
  return new WireError("not_found", `There is nothing at ${request.method} ${path}.${hint}`);
}

/** The HTTP side of the server: every path of `routes`, each error a coded JSON body. */
export function createApp(service: Service): FastifyInstance {
  const app = fastify({
    logger: false,
    requestTimeout: service.limits.bodyMs,
    keepAliveTimeout: 65_000,
    forceCloseConnections: "idle",
    return503OnClosing: false,
    routerOptions: { maxParamLength: 512 },
    frameworkErrors: (_error, _request, reply) => refusePath(reply),
    clientErrorHandler: refuseMalformed,
  });
  app.decorateRequest(contextKey, null);
  // Bodies are read by the routes themselves: limits, decompression and the worker need the raw stream.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, parsed) => parsed(null));
  hookLifecycle(app, service);
  for (const route of routes) addRoute(app, service, route);
  refuseOtherMethods(app);
  app.setErrorHandler((error, request, reply) => sendError(request, reply, error));
  app.setNotFoundHandler((request, reply) => sendError(request, reply, unknownPath(request)));
  return app;
}
