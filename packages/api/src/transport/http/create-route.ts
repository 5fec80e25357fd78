import {
  type ResponseObject,
  WireError,
  type WireErrorCode,
  wireErrorCodes,
} from "@slipstream-stack/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { IncomingCreate } from "../../respond/incoming.ts";
import { CreateReader } from "../create/create-reader.ts";
import type { ParsedCreate } from "../create/read-create.ts";
import { EventStream } from "../event-stream.ts";
import { type CreateOutcome, runCreate } from "../run-create.ts";
import type { Service } from "../service.ts";
import { type Body, readBody } from "./read-body.ts";
import type { RequestContext } from "./request-context.ts";
import { SseChannel } from "./sse.ts";

/** A create body read from an HTTP request, with the signal of its client's leaving. */
interface ReadRequest {
  readonly create: ParsedCreate;
  readonly parseMs: number;
  readonly signal: AbortSignal;
}

/** A signal that aborts when the client is gone before its answer is complete. */
function goneSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once("close", () => {
    if (!reply.raw.writableFinished) controller.abort(new Error("the client has gone"));
  });
  return controller.signal;
}

async function readRequest(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  context: RequestContext,
): Promise<ReadRequest> {
  const signal = goneSignal(reply);
  const body: Body = await readBody(request.raw, request.headers, service.limits);
  context.bytesIn = body.received;
  const startedAt = service.clock.now();
  const reader = new CreateReader(service.limits, service.offload, "create");
  const { content } = await reader.read(body.bytes);
  if (content.kind === "refused") throw content.error;
  if (content.kind === "other") throw new WireError("invalid_value", "The body is not a create request.");
  return { create: content.create, parseMs: service.clock.now() - startedAt, signal };
}

function incomingCreate(
  request: FastifyRequest,
  context: RequestContext,
  { create, parseMs, signal }: ReadRequest,
): IncomingCreate {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value === "string" && name !== "authorization") headers[name] = value;
  }
  return {
    request: create.request,
    settingsKey: create.keyed.key,
    scope: context.scope,
    connection: null,
    transport: context.transport,
    bytesIn: context.bytesIn,
    bytesOut: () => context.bytesOut,
    parseMs,
    inherit: create.inherit,
    headers,
    signal,
  };
}

/** The error of a response that failed while nothing of it had been sent: it still can be an HTTP status. */
function failureOf(response: ResponseObject): WireError | null {
  if (response.status !== "failed" || response.error === null) return null;
  const { code, message } = response.error;
  return new WireError(
    Object.hasOwn(wireErrorCodes, code) ? (code as WireErrorCode) : "server_error",
    message,
  );
}

async function answerJson(
  service: Service,
  incoming: IncomingCreate,
  context: RequestContext,
): Promise<string> {
  const { clock, limits, handlers } = service;
  const stream = new EventStream({
    send: () => Promise.resolve(),
    lane: null,
    clock,
    keepAliveMs: limits.keepAliveMs,
  });
  const outcome = await runCreate(handlers.respond, incoming, stream);
  if (outcome.kind === "failed") throw outcome.error;
  context.responseId = outcome.response.id;
  const failure = failureOf(outcome.response);
  if (failure !== null) throw failure;
  return JSON.stringify(outcome.response);
}

async function answerSse(
  service: Service,
  incoming: IncomingCreate,
  reply: FastifyReply,
  context: RequestContext,
): Promise<void> {
  const { clock, limits, handlers } = service;
  const headers = Object.fromEntries(
    Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]),
  );
  const channel = new SseChannel(reply.raw, headers, service);
  const stream = new EventStream({
    send: async (event) => {
      const room = channel.send(event);
      context.bytesOut = channel.bytesOut;
      await room;
    },
    lane: null,
    clock,
    keepAliveMs: limits.keepAliveMs,
  });
  const outcome = await runCreate(handlers.respond, incoming, stream);
  if (outcome.kind === "failed" && !stream.hasStarted) throw outcome.error;
  reply.hijack();
  await finishSse(channel, outcome, context);
}

async function finishSse(
  channel: SseChannel,
  outcome: CreateOutcome,
  context: RequestContext,
): Promise<void> {
  if (outcome.kind === "answered") {
    context.responseId = outcome.response.id;
    context.code = outcome.response.error?.code ?? null;
  } else {
    const { code, message, param, status } = outcome.error;
    context.code = code;
    context.outcome = status;
    context.cause = outcome.error.cause;
    await channel.send({ type: "error", code, message, param } as { type: "error" });
  }
  channel.end();
  context.bytesOut = channel.bytesOut;
}

/** `POST /v1/responses`: one JSON body, or server-sent events with `stream:true`. */
export async function createRoute(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  context: RequestContext,
): Promise<unknown> {
  const read = await readRequest(service, request, reply, context);
  if (read.create.request.stream !== true)
    return answerJson(service, incomingCreate(request, context, read), context);
  context.transport = "sse";
  await answerSse(service, incomingCreate(request, context, read), reply, context);
  return reply;
}

/** `POST /v1/responses/input_tokens`. */
export async function inputTokensRoute(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  context: RequestContext,
): Promise<string> {
  const incoming = incomingCreate(request, context, await readRequest(service, request, reply, context));
  const count = await service.handlers.countInputTokens(incoming);
  return JSON.stringify({ object: "response.input_tokens", input_tokens: count });
}

/** `POST /v1/responses/compact`. */
export async function compactRoute(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  context: RequestContext,
): Promise<string> {
  const incoming = incomingCreate(request, context, await readRequest(service, request, reply, context));
  return JSON.stringify(await service.handlers.compact(incoming));
}
