import type { Item, Usage } from "@slipstream-stack/protocol";
import type { HistoryView } from "../history/history-log.ts";
import type { FullSendReason } from "../request/delta-rule.ts";
import type { FrozenSettings } from "../request/frozen-settings.ts";

export type TransportKind = "websocket" | "http" | "memory";

/** One response to ask for. */
export interface ModelCall {
  readonly settings: FrozenSettings;
  readonly history: HistoryView;
}

/** What travelled. Bytes are payload bytes in UTF-8 before compression. */
export interface SentRequest {
  readonly type: "sent";
  readonly transport: TransportKind;
  readonly mode: "full" | "delta";
  /** Why the whole input travelled; null for a delta. */
  readonly reason: FullSendReason | "http" | null;
  readonly bytes: number;
  readonly itemBytes: number;
  readonly items: number;
}

/** What a response is made of, the same whatever carried it. */
export type TransportEvent =
  | SentRequest
  | { readonly type: "created"; readonly responseId: string }
  | { readonly type: "item-started" }
  | { readonly type: "text-delta"; readonly delta: string }
  | { readonly type: "reasoning-delta"; readonly delta: string }
  | { readonly type: "item"; readonly item: Item }
  | {
      readonly type: "completed" | "incomplete";
      readonly responseId: string;
      readonly usage: Usage | null;
      /** Why it is incomplete; null when completed. */
      readonly reason: string | null;
      readonly settingsFingerprint: string | null;
    };

/**
 * Carries requests to a server. One implementation per transport, all held to the same case table
 * (transport.cases.test.ts).
 */
export interface ModelTransport {
  readonly kind: TransportKind;
  /**
   * One attempt at one response: `sent`, then the response's events, then `completed` or `incomplete`.
   * Anything else ends in a `TransportError`, or in the signal's reason when it aborts. Calls queue: one
   * response runs at a time.
   */
  respond(call: ModelCall, signal: AbortSignal): AsyncIterable<TransportEvent>;
  /** Connects early and, where the transport can, lets the server prepare the call's prefix. Never rejects. */
  warmUp(call: ModelCall, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}
