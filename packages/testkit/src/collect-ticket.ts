import type { EngineEvent, Ticket } from "@slipstream-stack/inference";

/** Everything a ticket told, sorted out. */
export interface TicketOutcome {
  readonly events: readonly EngineEvent[];
  /** All sampled ids, those past `keep` too. */
  readonly sampled: readonly number[];
  /** The ids that belong to the output; empty after an error. */
  readonly output: readonly number[];
  readonly admitted: Extract<EngineEvent, { type: "admitted" }> | null;
  readonly end: Extract<EngineEvent, { type: "end" }> | null;
  readonly error: Extract<EngineEvent, { type: "error" }> | null;
}

/** Reads a ticket to its end. It does not settle it. */
export async function collect(ticket: Ticket): Promise<TicketOutcome> {
  const events: EngineEvent[] = [];
  for await (const event of ticket.events) events.push(event);
  const sampled = events.flatMap((event) => (event.type === "tokens" ? [...event.ids] : []));
  const end = events.find((event) => event.type === "end") ?? null;
  return {
    events,
    sampled,
    output: end === null ? [] : sampled.slice(0, end.keep),
    admitted: events.find((event) => event.type === "admitted") ?? null,
    end,
    error: events.find((event) => event.type === "error") ?? null,
  };
}

/** Reads a ticket to its end and keeps what it holds. */
export async function collectAndKeep(ticket: Ticket): Promise<TicketOutcome> {
  const outcome = await collect(ticket);
  ticket.settle(outcome.end?.held ?? null);
  return outcome;
}
