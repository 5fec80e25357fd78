import type { WebSocketErrorEvent, WireError } from "@slipstream-stack/protocol";
import { errorHeaders } from "../wire-failure.ts";
import { defaultLane } from "./lanes.ts";

/** An error as a WebSocket client gets it; retry hints are headers inside the error. */
export function errorEnvelope(error: WireError, lane: string): WebSocketErrorEvent {
  const headers = errorHeaders(error);
  const body = Object.keys(headers).length === 0 ? error.body() : { ...error.body(), headers };
  const envelope: WebSocketErrorEvent = { type: "error", status: error.status, error: body };
  return lane === defaultLane ? envelope : { ...envelope, stream_id: lane };
}
