import { type Item, tryParseJson } from "@slipstream-stack/protocol";
import { TransportError } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import { buildRequest } from "../request/build-request.ts";
import { type AcknowledgedState, planSend, type SendPlan } from "../request/delta-rule.ts";
import { IdleWatch } from "./idle-watch.ts";
import { MessageQueue } from "./message-queue.ts";
import type { ModelCall, ModelTransport, TransportEvent } from "./model-transport.ts";
import type { TransportTimeouts } from "./timeouts.ts";
import { unlessAborted } from "./unless-aborted.ts";
import { WebSocketConnection } from "./websocket-connection.ts";
import { readWireEvent } from "./wire-event.ts";

export interface WebSocketTransportOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly timeouts: TransportTimeouts;
  /** Off: every request carries the whole input. */
  readonly delta: boolean;
  /** Off: a chained request repeats all settings even where the server keeps them. */
  readonly settingsInheritance: boolean;
}

/**
 * Responses over one kept socket. The server remembers the last response of a connection, so a request that
 * continues it carries only what is new. Whatever makes that doubtful (an error, a cancel, a new socket)
 * clears the memory, and the next request carries everything.
 */
export class WebSocketTransport implements ModelTransport {
  readonly kind = "websocket";
  readonly #options: WebSocketTransportOptions;
  #connection: WebSocketConnection | null = null;
  #acknowledged: AcknowledgedState | null = null;
  /** Settles when the socket is free: the last response has ended or been drained. */
  #free: Promise<void> = Promise.resolve();
  #draining: Promise<void> = Promise.resolve();

  constructor(options: WebSocketTransportOptions) {
    this.#options = options;
  }

  respond(call: ModelCall, signal: AbortSignal): AsyncIterable<TransportEvent> {
    return this.#run(call, signal, true);
  }

  async warmUp(call: ModelCall, signal: AbortSignal): Promise<void> {
    const timeout = new AbortController();
    const cancel = this.#options.clock.after(this.#options.timeouts.warmUpMs, () =>
      timeout.abort(new TransportError("timeout", "The warm-up took too long.")),
    );
    try {
      const bounded = AbortSignal.any([signal, timeout.signal]);
      for await (const event of this.#run(call, bounded, false)) if (event.type === "incomplete") break;
    } catch {
      // A warm-up only saves time: the first real request meets the same fault and reports it.
    } finally {
      cancel();
    }
  }

  async close(): Promise<void> {
    this.#acknowledged = null;
    this.#connection?.close();
    this.#connection = null;
  }

  async *#run(call: ModelCall, signal: AbortSignal, generate: boolean): AsyncGenerator<TransportEvent> {
    const previous = this.#free;
    const done = Promise.withResolvers<void>();
    this.#free = previous.then(() => done.promise);
    try {
      await unlessAborted(previous, signal);
      const connection = await this.#connect(signal);
      const plan = this.#plan(call);
      this.#acknowledged = null;
      yield* this.#exchange(connection, call, plan, signal, generate);
    } finally {
      done.resolve(this.#draining);
    }
  }

  async #connect(signal: AbortSignal): Promise<WebSocketConnection> {
    const { clock, timeouts, url, headers } = this.#options;
    const current = this.#connection;
    if (current !== null && (await this.#stands(current))) return current;
    await this.close();
    const opened = await WebSocketConnection.open(
      { url, headers, clock, connectMs: timeouts.connectMs },
      signal,
    );
    this.#connection = opened;
    return opened;
  }

  async #stands(connection: WebSocketConnection): Promise<boolean> {
    const { clock, timeouts } = this.#options;
    if (!connection.isUsable || clock.now() - connection.openedAt >= timeouts.maxAgeMs) return false;
    if (clock.now() - connection.lastSign < timeouts.probeAfterMs) return true;
    return connection.probe(timeouts.probeMs);
  }

  #plan(call: ModelCall): SendPlan {
    if (!this.#options.delta) return { kind: "full", reason: "delta_off", changed: null };
    return planSend(this.#acknowledged, call.settings, call.history);
  }

  async *#exchange(
    connection: WebSocketConnection,
    call: ModelCall,
    plan: SendPlan,
    signal: AbortSignal,
    generate: boolean,
  ): AsyncGenerator<TransportEvent> {
    signal.throwIfAborted();
    const built = buildRequest({
      settings: call.settings,
      history: call.history,
      plan,
      form: "frame",
      generate,
    });
    const queue = new MessageQueue<string>();
    const watch = new IdleWatch(this.#options.clock, this.#options.timeouts.idleMs, () =>
      queue.fail(new TransportError("timeout", "The server fell silent while a response ran.")),
    );
    const received: Item[] = [];
    let isOver = false;
    try {
      connection.exchange(built.json, { queue, onSign: () => watch.sign() });
      yield {
        type: "sent",
        transport: this.kind,
        mode: plan.kind,
        reason: plan.kind === "full" ? plan.reason : null,
        bytes: built.bytes,
        itemBytes: built.itemBytes,
        items: built.items,
      };
      while (!isOver) {
        const event = this.#read(await queue.next(signal), () => {
          isOver = true;
        });
        if (event === null) continue;
        if (event.type === "item") received.push(event.item);
        if (event.type === "completed" || event.type === "incomplete") isOver = true;
        if (event.type === "completed") {
          this.#acknowledge(
            connection,
            call,
            received,
            event.responseId,
            event.settingsFingerprint,
            !generate,
          );
        }
        yield event;
      }
    } catch (error) {
      if (!isOver && !signal.aborted) this.#drop(connection);
      throw error;
    } finally {
      watch.stop();
      if (isOver || !connection.isUsable) connection.release();
      else this.#draining = this.#drain(connection, queue);
    }
  }

  /** One frame as an event; an error frame ends the response and leaves the connection standing. */
  #read(frame: string, onError: () => void): TransportEvent | null {
    const value = tryParseJson(frame);
    if (value === undefined)
      throw new TransportError("protocol", "The server sent a frame that is not JSON.");
    try {
      return readWireEvent(value);
    } catch (error) {
      const isAnswer = TransportError.isInstance(error) && error.kind === "rejected";
      if (isAnswer && error.code !== "websocket_connection_limit_reached") onError();
      throw error;
    }
  }

  #acknowledge(
    connection: WebSocketConnection,
    call: ModelCall,
    received: readonly Item[],
    responseId: string,
    fingerprint: string | null,
    warmUp: boolean,
  ): void {
    const mayInherit = this.#options.settingsInheritance && connection.inheritsSettings;
    this.#acknowledged = {
      responseId,
      settings: call.settings,
      lastInput: call.history.last,
      received: [...received],
      warmUp,
      settingsFingerprint: mayInherit ? fingerprint : null,
    };
  }

  #drop(connection: WebSocketConnection): void {
    connection.close();
    if (this.#connection === connection) this.#connection = null;
  }

  /**
   * Waits for the end of a cancelled response, so that its events never meet the next one's. A response that
   * goes on for longer is ended by closing the socket.
   */
  async #drain(connection: WebSocketConnection, queue: MessageQueue<string>): Promise<void> {
    const cancel = this.#options.clock.after(this.#options.timeouts.drainMs, () =>
      queue.fail(new TransportError("timeout", "The cancelled response goes on.")),
    );
    try {
      while (!isTerminalFrame(await queue.next())) {
        // Stale events of the cancelled response are read and thrown away.
      }
    } catch {
      this.#drop(connection);
    } finally {
      cancel();
      connection.release();
    }
  }
}

function isTerminalFrame(frame: string): boolean {
  const value = tryParseJson(frame);
  if (value === undefined) return false;
  try {
    const event = readWireEvent(value);
    return event?.type === "completed" || event?.type === "incomplete";
  } catch (error) {
    return TransportError.isInstance(error) && error.kind === "rejected";
  }
}
