import { type ResponseObject, WireError } from "@slipstream-stack/protocol";
import { createEgress, type Egress } from "../egress/egress.ts";
import { answerFacts, type LapOutcome, type RoutedTicket } from "./answer-facts.ts";
import type { Answer } from "./begun-answer.ts";
import type { RespondDependencies } from "./dependencies.ts";
import { engineFailure } from "./engine-failure.ts";
import { engineRequest } from "./engine-request.ts";
import { finishAnswer } from "./finish-answer.ts";
import { type Generation, generate } from "./generate.ts";
import type { Emit } from "./incoming.ts";
import { lapRecord } from "./lap.ts";
import { makeNode } from "./make-node.ts";
import { planAnswer } from "./plan-answer.ts";
import type { ResolvedRequest } from "./resolve-request.ts";
import { failedOutcome, inProgress, responseHeader, responseObject } from "./response-object.ts";

/**
 * Answers a request that generates: renders what is new, submits it, and streams what comes back through the
 * egress stage. Failures before `response.created` are thrown; later ones end the stream.
 */
export async function answer(
  dependencies: RespondDependencies,
  request: ResolvedRequest,
  emit: Emit,
): Promise<ResponseObject> {
  const startedAt = dependencies.clock.now();
  const planned = await planAnswer(dependencies, request);
  const renderedAt = dependencies.clock.now();
  const header = responseHeader(dependencies, request);
  const begun: Answer = { dependencies, request, planned, header, emit, startedAt, renderedAt };
  await emit({ type: "response.created", response: responseObject(header, inProgress) });
  await emit({ type: "response.in_progress", response: responseObject(header, inProgress) });
  await using ticket = dependencies.submit(
    request.runtime.id,
    engineRequest(dependencies, request, planned.plan, planned.program, header.id),
  );
  return await run(begun, ticket);
}

async function run(begun: Answer, ticket: RoutedTicket): Promise<ResponseObject> {
  const { dependencies, request, planned, emit } = begun;
  const { signal } = request.incoming;
  const cancel = () => ticket.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  const egress = createEgress({
    emit,
    gate: dependencies.gate(),
    newId: dependencies.newId,
    callIds: givenCallIds(begun),
  });
  try {
    const generation = await generate(ticket, {
      vocabulary: request.runtime.vocabulary,
      stopTokens: new Set(planned.program.stopTokens),
      parser: request.runtime.dialect.parser(planned.callable, planned.prompt),
      now: () => dependencies.clock.now(),
      take: (events) => egress.take(events),
    });
    if (signal.aborted || generation.end?.reason === "cancelled") return leave(begun, ticket, generation);
    if (generation.failure !== null)
      return await fail(begun, ticket, egress, generation, engineFailure(generation.failure));
    return await finishAnswer(begun, ticket, egress, generation).catch((error: unknown) =>
      fail(begun, ticket, egress, generation, error),
    );
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

/** The call ids of a forced output; a call without one takes a new id. */
function givenCallIds({ dependencies, planned }: Answer): string[] {
  const calls = (planned.forced ?? []).filter(({ item }) => "call_id" in item);
  return calls.map(({ callId }) => callId ?? dependencies.newId("call"));
}

/** The client has gone: the prompt stays findable by content, the half-written answer does not. */
function leave(begun: Answer, ticket: RoutedTicket, generation: Generation): ResponseObject {
  const { dependencies, request, planned, header } = begun;
  const { clock, chains } = dependencies;
  ticket.settle(generation.end?.held ?? null);
  const node = makeNode(request, {
    id: header.id,
    stored: false,
    endedAt: clock.now(),
    plan: planned.plan,
    answer: null,
  });
  if (generation.failure === null) chains.commit(node);
  record(begun, ticket, generation, { status: "cancelled", errorCode: null, outputItems: 0 });
  return responseObject(header, { ...inProgress, status: "cancelled" });
}

/** Something failed after the response began: the stream ends with `response.failed`, or HTTP with its error. */
async function fail(
  begun: Answer,
  ticket: RoutedTicket,
  egress: Egress,
  generation: Generation,
  cause: unknown,
): Promise<ResponseObject> {
  const error = WireError.isInstance(cause)
    ? cause
    : new WireError("server_error", "The response could not be finished.", { cause });
  const output = egress.finished();
  record(begun, ticket, generation, { status: "failed", errorCode: error.code, outputItems: output.length });
  if (begun.request.incoming.transport === "http") throw error;
  const response = responseObject(begun.header, failedOutcome(error, output));
  await begun.emit({ type: "response.failed", response });
  return response;
}

/** The lap of an answer that was not finished: what it cost stays on record, though nothing of it is kept. */
function record(begun: Answer, ticket: RoutedTicket, generation: Generation, outcome: LapOutcome): void {
  const { dependencies, request } = begun;
  const facts = answerFacts(begun, ticket, generation, outcome);
  const lap = lapRecord(facts, { storeBytes: 0, storeMs: 0, endedAt: dependencies.clock.now() });
  dependencies.laps.add(request.incoming.scope, lap);
}
