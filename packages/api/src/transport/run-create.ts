import { type EventBody, type ResponseObject, WireError } from "@slipstream-stack/protocol";
import type { IncomingCreate, Respond } from "../respond/incoming.ts";
import type { EventStream } from "./event-stream.ts";
import { wireFailure } from "./wire-failure.ts";

/** How a create request ended. */
export type CreateOutcome =
  | { readonly kind: "answered"; readonly response: ResponseObject }
  | { readonly kind: "failed"; readonly error: WireError };

/** Nobody sees this; the log and the metrics do. */
const left: CreateOutcome = {
  kind: "failed",
  error: new WireError("client_closed_request", "The client left before its answer was complete."),
};

function terminalEvent(response: ResponseObject): EventBody {
  if (response.status === "completed") return { type: "response.completed", response };
  if (response.status === "failed") return { type: "response.failed", response };
  return { type: "response.incomplete", response };
}

/** Answers one request through its event stream. Never rejects; the stream is closed afterwards, or
 * as soon as the client has gone. */
export async function runCreate(
  respond: Respond,
  incoming: IncomingCreate,
  stream: EventStream,
): Promise<CreateOutcome> {
  const close = () => stream.close();
  incoming.signal.addEventListener("abort", close, { once: true });
  try {
    const response = await respond(incoming, (event) => stream.emit(event));
    // Does nothing where the pipeline has sent the terminal event itself.
    await stream.emit(terminalEvent(response));
    if (incoming.signal.aborted) return left;
    return { kind: "answered", response };
  } catch (error) {
    return incoming.signal.aborted ? left : { kind: "failed", error: wireFailure(error) };
  } finally {
    incoming.signal.removeEventListener("abort", close);
    stream.close();
  }
}
