import type { Answer } from "./begun-answer.ts";
import type { Submit } from "./dependencies.ts";
import type { Generation } from "./generate.ts";
import type { LapFacts } from "./lap.ts";

/** A ticket that may know why it went where it went. */
export type RoutedTicket = ReturnType<Submit>;

/** How an answer ended, as its lap tells it. */
export type LapOutcome = Pick<LapFacts, "status" | "errorCode" | "outputItems">;

/** What the lap record of an answer is made of. */
export function answerFacts(
  { dependencies, request, planned, header, startedAt, renderedAt }: Answer,
  ticket: RoutedTicket,
  generation: Generation,
  outcome: LapOutcome,
): LapFacts {
  return {
    id: header.id,
    request,
    plan: planned.plan,
    generation,
    ...outcome,
    forced: planned.forced !== null,
    reuse: dependencies.techniques.prefixReuse,
    decision: ticket.decision ?? null,
    startedAt,
    renderedAt,
  };
}
