import type { HistoryLog } from "../history/history-log.ts";
import type { TransportEvent, TransportKind } from "../transport/model-transport.ts";

/** What the loop hears while it waits for a response. Codes are wire codes or kinds of transport failure. */
export type ModelEvent =
  | TransportEvent
  /** The attempt broke before any call had finished: what came of it is void and comes again. */
  | { readonly type: "restart" }
  | {
      readonly type: "retry";
      readonly attempt: number;
      readonly delayMs: number;
      readonly code: string;
      readonly status: number | null;
    }
  | { readonly type: "fallback"; readonly from: TransportKind; readonly code: string }
  /** The attempt broke after a call had finished: what has finished stands, the next lap goes on. */
  | { readonly type: "interrupted"; readonly code: string };

/** The model behind its transports. `respond` ends with `completed`, `incomplete` or `interrupted`. */
export interface ModelPort {
  /** Throws a `TransportError` when it gives up, and the signal's reason when it aborts. */
  respond(log: HistoryLog, signal: AbortSignal): AsyncIterable<ModelEvent>;
}
