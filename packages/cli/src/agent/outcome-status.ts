import type { TurnOutcome } from "@slipstream-stack/harness";
import { exitStatus } from "../errors.ts";

/** The exit status that a turn's end gives. */
export function outcomeStatus(outcome: TurnOutcome): number {
  switch (outcome.kind) {
    case "answered":
      return 0;
    case "incomplete":
    case "lap_limit":
      return exitStatus.taskFailed;
    case "cancelled":
      return exitStatus.interrupted;
    case "failed":
      return exitStatus.server;
  }
}
