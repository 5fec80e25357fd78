import type { Item } from "@slipstream-stack/protocol";
import { TransportError } from "../errors.ts";
import type { EmitTurnEvent, TurnOutcome } from "../events.ts";
import type { HistoryLog } from "../history/history-log.ts";
import { firstLap, Lap } from "./lap.ts";
import type { TurnPorts } from "./ports.ts";

/** Tells the model, at the end of the history, that the user stopped the turn before it. */
const abortedItem: Item = {
  type: "message",
  role: "user",
  content: "<turn_aborted>The user stopped the previous turn. Calls may have run in part.</turn_aborted>",
};

/**
 * Runs one turn to its end: request, tool calls, request, until the model answers without a call. The user's
 * message stands in the log already. The log only grows; all effects are ports; the outcome is a value.
 */
export async function runTurn(
  log: HistoryLog,
  ports: TurnPorts,
  signal: AbortSignal,
  emit: EmitTurnEvent,
): Promise<TurnOutcome> {
  const turnId = ports.ids.next("turn");
  emit({ type: "turn-start", turnId });
  const outcome = await runLaps(log, ports, signal, emit);
  if (outcome.kind === "cancelled") log.append([abortedItem]);
  emit({ type: "turn-end", turnId, outcome });
  return outcome;
}

async function runLaps(
  log: HistoryLog,
  ports: TurnPorts,
  signal: AbortSignal,
  emit: EmitTurnEvent,
): Promise<TurnOutcome> {
  let start = firstLap;
  for (let lap = 1; lap <= ports.maxLaps; lap++) {
    try {
      const result = await new Lap(log, ports, signal, emit, start).run();
      if (result.kind !== "called") return { ...result, laps: lap };
      start = result.next;
    } catch (error) {
      if (signal.aborted) return { kind: "cancelled", laps: lap };
      if (!TransportError.isInstance(error)) throw error;
      return { kind: "failed", code: error.code, message: error.message, status: error.status, laps: lap };
    }
    if (signal.aborted) return { kind: "cancelled", laps: lap };
  }
  return { kind: "lap_limit", laps: ports.maxLaps };
}
