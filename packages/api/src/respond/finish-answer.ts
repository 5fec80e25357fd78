import type { ResponseObject } from "@slipstream-stack/protocol";
import type { Egress } from "../egress/egress.ts";
import { answerFacts, type RoutedTicket } from "./answer-facts.ts";
import type { Answer } from "./begun-answer.ts";
import type { Generation } from "./generate.ts";
import { usageOf } from "./lap.ts";
import { makeNode } from "./make-node.ts";
import { publish } from "./publish.ts";
import { inProgress, responseObject } from "./response-object.ts";

/**
 * Ends an answer in the one safe order: verdict, engine prefix, store, chain, then the client is told. A
 * stored response is durable before `response.completed` leaves.
 */
export async function finishAnswer(
  begun: Answer,
  ticket: RoutedTicket,
  egress: Egress,
  generation: Generation,
): Promise<ResponseObject> {
  const { dependencies, request, planned, header, emit } = begun;
  const { clock, techniques } = dependencies;
  const cut = generation.end?.reason === "length";
  const { verdict, output } = await egress.finish(cut ? "incomplete" : "completed");
  if (verdict === "refuse") {
    ticket.settle(null);
    const refused = responseObject(header, {
      ...inProgress,
      status: "incomplete",
      incompleteReason: "content_filter",
    });
    await emit({ type: "response.incomplete", response: refused });
    return refused;
  }
  ticket.settle(generation.end?.held ?? null);
  const node = makeNode(request, {
    id: header.id,
    stored: request.store,
    endedAt: clock.now(),
    plan: planned.plan,
    answer: { generation, output },
  });
  const usage = usageOf(planned.plan, generation, techniques.prefixReuse);
  const response = responseObject(header, {
    status: cut ? "incomplete" : "completed",
    output,
    usage,
    error: null,
    incompleteReason: cut ? "max_output_tokens" : null,
    completedAt: Math.floor(clock.wallClock() / 1000),
  });
  const status = cut ? "incomplete" : "completed";
  const facts = answerFacts(begun, ticket, generation, {
    status,
    errorCode: null,
    outputItems: output.length,
  });
  await publish(dependencies, { request, node, response, facts });
  await emit({ type: cut ? "response.incomplete" : "response.completed", response });
  return response;
}
