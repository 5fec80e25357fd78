import type { ServerResponse } from "node:http";
import type { StreamEvent } from "@slipstream-stack/protocol";
import { Outlet } from "../outlet.ts";
import type { Service } from "../service.ts";

/** An event as a server-sent event. */
function sseFrame(event: { readonly type: string }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** The end of the stream, which Open Responses demands and all tested clients tolerate. */
const done = "data: [DONE]\n\n";

/** One response's server-sent events. The head is sent with the first event, so that errors keep their status. */
export class SseChannel {
  readonly #raw: ServerResponse;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #outlet: Outlet;
  /** Payload bytes sent. */
  bytesOut = 0;

  constructor(raw: ServerResponse, headers: Readonly<Record<string, string>>, service: Service) {
    this.#raw = raw;
    this.#headers = headers;
    this.#outlet = new Outlet(
      {
        write: (text, written) => void raw.write(text, () => written()),
        cut: () => void raw.destroy(),
      },
      service.limits,
      service.clock,
      service.metrics,
    );
    raw.once("close", () => this.#outlet.close());
  }

  /** Sends an event; resolves when there is room for more. */
  send(event: StreamEvent | { readonly type: "error" }): Promise<void> {
    if (this.#raw.destroyed) return Promise.resolve();
    if (!this.#raw.headersSent) {
      this.#raw.writeHead(200, {
        ...this.#headers,
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-cache",
        "x-accel-buffering": "no",
      });
    }
    const frame = sseFrame(event);
    this.bytesOut += Buffer.byteLength(frame);
    return this.#outlet.send(frame);
  }

  end(): void {
    this.bytesOut += done.length;
    this.#raw.end(done);
  }
}
