import type { EngineEvent, Ticket } from "@slipstream-stack/inference";
import type { ResponseObject } from "@slipstream-stack/protocol";
import type { PromptPlan } from "../plan/renderer.ts";
import { prefillProgram } from "./decode-program.ts";
import type { RespondDependencies } from "./dependencies.ts";
import { engineFailure } from "./engine-failure.ts";
import { engineRequest } from "./engine-request.ts";
import type { Generation } from "./generate.ts";
import type { Emit } from "./incoming.ts";
import { usageOf } from "./lap.ts";
import { makeNode } from "./make-node.ts";
import { publish } from "./publish.ts";
import { planInput, type ResolvedRequest } from "./resolve-request.ts";
import { failedOutcome, inProgress, responseHeader, responseObject } from "./response-object.ts";

const nothing: Generation = {
  admitted: null,
  end: null,
  failure: null,
  ids: new Uint32Array(0),
  ends: [],
  firstTokenAt: null,
};

/**
 * Answers `generate:false`: the prefix is really prefilled. The response completes when it is, or early after
 * the waiting time while the prefill goes on; a full resend that comes meanwhile joins it.
 */
export async function prewarm(
  dependencies: RespondDependencies,
  request: ResolvedRequest,
  emit: Emit,
): Promise<ResponseObject> {
  const { clock, techniques } = dependencies;
  const startedAt = clock.now();
  const plan = await request.runtime.renderer.plan(planInput(request), () => null);
  const limits = { promptTokens: plan.prompt.length, contextLength: request.runtime.info().contextLength };
  const program = prefillProgram(limits);
  const renderedAt = clock.now();
  const header = responseHeader(dependencies, request);
  await emit({ type: "response.created", response: responseObject(header, inProgress) });
  const generation =
    plan.prompt.length === 0 ? nothing : await prefill(dependencies, request, plan, header.id, program);
  if (generation.failure !== null) {
    const error = engineFailure(generation.failure);
    if (request.incoming.transport === "http") throw error;
    const failed = responseObject(header, failedOutcome(error, []));
    await emit({ type: "response.failed", response: failed });
    return failed;
  }
  const response = responseObject(header, {
    ...inProgress,
    status: "completed",
    usage: usageOf(plan, generation, techniques.prefixReuse),
    completedAt: Math.floor(clock.wallClock() / 1000),
  });
  const node = makeNode(request, {
    id: header.id,
    stored: request.store,
    endedAt: clock.now(),
    plan,
    answer: null,
  });
  const facts = {
    id: header.id,
    request,
    plan,
    generation,
    outputItems: 0,
    status: "completed" as const,
    errorCode: null,
    forced: false,
    reuse: techniques.prefixReuse,
    decision: null,
    startedAt,
    renderedAt,
  };
  await publish(dependencies, { request, node, response, facts });
  await emit({ type: "response.completed", response });
  return response;
}

async function prefill(
  dependencies: RespondDependencies,
  request: ResolvedRequest,
  plan: PromptPlan,
  id: string,
  program: ReturnType<typeof prefillProgram>,
): Promise<Generation> {
  const ticket = dependencies.submit(
    request.runtime.id,
    engineRequest(dependencies, request, plan, program, id),
  );
  const done = drain(ticket);
  const waited = new AbortController();
  const early = dependencies.clock.sleep(dependencies.prewarmWaitMs, waited.signal).then(
    () => nothing,
    () => nothing,
  );
  const generation = await Promise.race([done, early]);
  waited.abort();
  return generation;
}

/** Reads a prefill to its end, whoever still waits for it, and lets go of the ticket. */
async function drain(ticket: Ticket): Promise<Generation> {
  let last: EngineEvent | null = null;
  let admitted: Generation["admitted"] = null;
  for await (const event of ticket.events) {
    if (event.type === "admitted") admitted = event;
    last = event;
  }
  await ticket[Symbol.asyncDispose]();
  return {
    ...nothing,
    admitted,
    end: last?.type === "end" ? last : null,
    failure: last?.type === "error" ? last : null,
  };
}
