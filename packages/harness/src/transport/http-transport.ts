import { tryParseJson } from "@slipstream-stack/protocol";
import { TransportError } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import { buildRequest } from "../request/build-request.ts";
import { IdleWatch } from "./idle-watch.ts";
import type { ModelCall, ModelTransport, TransportEvent } from "./model-transport.ts";
import { SseDecoder } from "./sse-decoder.ts";
import type { TransportTimeouts } from "./timeouts.ts";
import { readWireError, readWireEvent } from "./wire-event.ts";

export interface HttpTransportOptions {
  /** `http://` or `https://` address of the responses endpoint. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly timeouts: TransportTimeouts;
  readonly fetch: typeof globalThis.fetch;
}

const maxErrorBytes = 64 * 1024;

/**
 * Responses over HTTP as server-sent events. Every request carries the whole input: a response that is not
 * stored cannot be continued over HTTP. Connections are kept alive between requests.
 */
export class HttpTransport implements ModelTransport {
  readonly kind = "http";
  readonly #options: HttpTransportOptions;

  constructor(options: HttpTransportOptions) {
    this.#options = options;
  }

  async *respond(call: ModelCall, signal: AbortSignal): AsyncGenerator<TransportEvent> {
    signal.throwIfAborted();
    const { clock, timeouts } = this.#options;
    const silence = new AbortController();
    const watch = new IdleWatch(clock, timeouts.idleMs, () =>
      silence.abort(new TransportError("timeout", "The server fell silent while a response ran.")),
    );
    const bounded = AbortSignal.any([signal, silence.signal]);
    let cancelDrain = (): void => {};
    try {
      const plan = { kind: "full", reason: "first_request", changed: null } as const;
      const built = buildRequest({ ...call, plan, form: "body", generate: true });
      yield {
        type: "sent",
        transport: this.kind,
        mode: "full",
        reason: "http",
        bytes: built.bytes,
        itemBytes: built.itemBytes,
        items: built.items,
      };
      const response = await this.#post(built.json, bounded);
      yield* readStream(response, watch, () => {
        cancelDrain = clock.after(timeouts.drainMs, () => silence.abort());
      });
    } catch (error) {
      throw asFailure(error, this.#options.url, signal, silence.signal);
    } finally {
      cancelDrain();
      watch.stop();
    }
  }

  /** Nothing to prepare: connections are made by the first request. */
  async warmUp(): Promise<void> {}

  async close(): Promise<void> {}

  async #post(body: string, signal: AbortSignal): Promise<Response> {
    const headers = {
      ...this.#options.headers,
      "content-type": "application/json",
      accept: "text/event-stream",
    };
    const response = await this.#options.fetch(this.#options.url, { method: "POST", headers, body, signal });
    if (response.ok) return response;
    const text = await beginning(response, maxErrorBytes);
    throw readWireError(tryParseJson(text), response.status, Object.fromEntries(response.headers));
  }
}

/** The first bytes of a body as text; the rest is not read. */
async function beginning(response: Response, limitBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= limitBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, limitBytes).toString("utf8");
}

/**
 * The events of a stream. What follows the last one is read too and thrown away: a body left unread would cost
 * the connection. `onEnd` is told when the last event has come.
 */
async function* readStream(
  response: Response,
  watch: IdleWatch,
  onEnd: () => void,
): AsyncGenerator<TransportEvent> {
  const decoder = new SseDecoder();
  let isOver = false;
  try {
    for await (const bytes of response.body ?? []) {
      watch.sign();
      for (const data of isOver ? [] : decoder.push(bytes)) {
        const event = readData(data);
        if (event === null) continue;
        isOver = event.type === "completed" || event.type === "incomplete";
        if (isOver) onEnd();
        yield event;
        if (isOver) break;
      }
    }
  } catch (error) {
    if (!isOver) throw error;
  }
  if (!isOver) throw new TransportError("broken", "The stream ended before the response did.");
}

function readData(data: string): TransportEvent | null {
  const value = tryParseJson(data);
  if (value === undefined) throw new TransportError("protocol", "The server sent an event that is not JSON.");
  return readWireEvent(value);
}

/** What an exception of `fetch` or of the body stream stands for. */
function asFailure(error: unknown, url: string, signal: AbortSignal, silence: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (silence.aborted) return silence.reason;
  if (TransportError.isInstance(error)) return error;
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const isUnreachable = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"].includes(code);
  const reason = cause instanceof Error ? cause.message || code : String(error);
  if (!isUnreachable) {
    return new TransportError("broken", `The connection to ${url} broke: ${reason}.`, { cause: error });
  }
  return new TransportError("unreachable", `No server answers at ${url} (${reason}).`, { cause: error });
}
