import type { Item, Usage } from "@slipstream-stack/protocol";
import type { TransportKind } from "./transport/model-transport.ts";

/** Token counts of one lap, normalised: `input` includes `cached`, `new` is the rest of it. */
export interface LapTokens {
  readonly input: number;
  readonly cached: number;
  readonly new: number;
  readonly output: number;
}

/** What one lap (one model request and its tool calls) cost. Bytes before compression, milliseconds. */
export interface LapFigures {
  readonly lap: number;
  readonly responseId: string | null;
  /** Of the last attempt; null where none got as far as sending. */
  readonly transport: TransportKind | null;
  /** `delta` where only new items travelled. */
  readonly mode: "full" | "delta";
  /** Why the whole input travelled; null for a delta. */
  readonly fullReason: string | null;
  readonly attempts: number;
  /** Payload bytes of all attempts. */
  readonly bytesSent: number;
  /** Of the last attempt: bytes and number of the items in it. */
  readonly itemBytes: number;
  readonly items: number;
  /** Null where the server gave no usage. */
  readonly tokens: LapTokens | null;
  /** From sending to the first sign of output. */
  readonly firstOutputMs: number | null;
  /** From the first sending to the end of the response. */
  readonly modelMs: number;
  /** Sum over the lap's tool calls. */
  readonly toolMs: number;
  /** From the end of the last response to the sending of this request, tools included; null on the first lap. */
  readonly loopGapMs: number | null;
}

/** How a turn ended. */
export type TurnOutcome =
  | { readonly kind: "answered"; readonly text: string; readonly laps: number }
  /** The model stopped before it had finished (a token limit, a filter). */
  | { readonly kind: "incomplete"; readonly reason: string; readonly text: string; readonly laps: number }
  | { readonly kind: "lap_limit"; readonly laps: number }
  | { readonly kind: "cancelled"; readonly laps: number }
  | {
      readonly kind: "failed";
      readonly code: string;
      readonly message: string;
      readonly status: number | null;
      readonly laps: number;
    };

/**
 * Everything a turn tells, in order; `slipstream exec --json` prints one per line. A turn begins with
 * `turn-start` and ends with `turn-end`; in between each lap begins with `lap-start` and ends with `lap-end`.
 * Deltas are for display only: `item` carries the finished item, and after `restart` all deltas and items of
 * the running lap are void and come again.
 */
export type TurnEvent =
  | { readonly type: "turn-start"; readonly turnId: string }
  | { readonly type: "lap-start"; readonly lap: number }
  | {
      readonly type: "request";
      readonly transport: TransportKind;
      readonly mode: "full" | "delta";
      readonly bytes: number;
      readonly itemBytes: number;
    }
  | { readonly type: "text-delta"; readonly delta: string }
  | { readonly type: "reasoning-delta"; readonly delta: string }
  | { readonly type: "item"; readonly item: Item }
  | { readonly type: "restart" }
  | { readonly type: "retry"; readonly attempt: number; readonly delayMs: number; readonly code: string }
  | { readonly type: "fallback"; readonly from: TransportKind; readonly code: string }
  | { readonly type: "interrupted"; readonly code: string }
  | { readonly type: "tool-start"; readonly callId: string; readonly name: string; readonly input: string }
  | {
      readonly type: "tool-end";
      readonly callId: string;
      readonly output: string;
      readonly isError: boolean;
      readonly ms: number;
    }
  | { readonly type: "lap-end"; readonly figures: LapFigures; readonly usage: Usage | null }
  | { readonly type: "turn-end"; readonly turnId: string; readonly outcome: TurnOutcome };

export type EmitTurnEvent = (event: TurnEvent) => void;
