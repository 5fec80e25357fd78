import type { Item } from "@slipstream-stack/protocol";
import type { HistoryView, LogEntry } from "../history/history-log.ts";
import { changedField, type FrozenSettings } from "./frozen-settings.ts";

/** What the server of one connection is known to hold after its last completed response. */
export interface AcknowledgedState {
  readonly responseId: string;
  readonly settings: FrozenSettings;
  /** The last input item of that request; null where the input was empty. */
  readonly lastInput: LogEntry | null;
  /** The items that came in `output_item.done`, in order. */
  readonly received: readonly Item[];
  /** Whether that request was a warm-up, after which an empty delta is allowed. */
  readonly warmUp: boolean;
  /** The settings fingerprint the response carried, where the server lets settings be inherited. */
  readonly settingsFingerprint: string | null;
}

/** Why a request carries the whole input. */
export type FullSendReason =
  | "first_request"
  | "field_changed"
  | "history_changed"
  | "nothing_new"
  | "delta_off";

export type SendPlan =
  | { readonly kind: "full"; readonly reason: FullSendReason; readonly changed: string | null }
  | {
      readonly kind: "delta";
      readonly previousResponseId: string;
      /** Index of the first item the server does not hold. */
      readonly from: number;
      readonly settingsFingerprint: string | null;
    };

function full(reason: FullSendReason, changed: string | null = null): SendPlan {
  return { kind: "full", reason, changed };
}

/**
 * The delta rule of Codex (techniques.md, H1): a delta goes out only if the last response on this connection
 * completed with an id, no compared field differs, and "previous input and received items" is an exact prefix
 * of the new input. Null means that nothing is acknowledged: a new connection, a failed or incomplete response.
 * The work follows the number of received and new items; history before them is one identity check.
 */
export function planSend(
  acknowledged: AcknowledgedState | null,
  settings: FrozenSettings,
  history: HistoryView,
): SendPlan {
  if (acknowledged === null || acknowledged.responseId === "") return full("first_request");
  const changed = changedField(acknowledged.settings, settings);
  if (changed !== null) return full("field_changed", changed);

  const inputLength = acknowledged.lastInput === null ? 0 : acknowledged.lastInput.index + 1;
  const from = inputLength + acknowledged.received.length;
  if (history.length < from) return full("history_changed");
  const since = history.from(inputLength);
  const before = since[0] === undefined ? history.last : since[0].previous;
  if (before !== acknowledged.lastInput) return full("history_changed");
  const kept = acknowledged.received.every((item, offset) => isSame(item, since[offset]));
  if (!kept) return full("history_changed");
  if (since.length === acknowledged.received.length && !acknowledged.warmUp) return full("nothing_new");
  return {
    kind: "delta",
    previousResponseId: acknowledged.responseId,
    from,
    settingsFingerprint: acknowledged.settingsFingerprint,
  };
}

function isSame(item: Item, entry: LogEntry | undefined): boolean {
  if (entry === undefined) return false;
  return entry.item === item || entry.json === JSON.stringify(item);
}
