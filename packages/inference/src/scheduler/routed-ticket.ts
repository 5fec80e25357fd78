import type { Clock } from "../port/clock.ts";
import type { PrefixRef } from "../port/prefix.ts";
import type {
  EngineErrorCode,
  EngineEvent,
  EngineRequest,
  Ticket,
  TokenEngine,
} from "../port/token-engine.ts";
import type { RouteDecision } from "../router/route.ts";

/** A ticket of the door: it also says which replica it was sent to, and why; null where it went to none. */
export interface RoutedTicket extends Ticket {
  readonly decision: RouteDecision | null;
}

/** A ticket that failed before any engine saw it. */
export function failedTicket(
  code: EngineErrorCode,
  message: string,
  retryable: boolean,
  decision: RouteDecision | null = null,
): RoutedTicket {
  return {
    decision,
    events: (async function* (): AsyncGenerator<EngineEvent> {
      yield { type: "error", code, message, retryable, evaluated: 0 };
    })(),
    cancel: () => undefined,
    settle: () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/**
 * A ticket that may wait in line before its engine sees it. It gives its place back exactly once, whichever
 * way it ends: end, error, cancel, deadline or disposal.
 */
export class QueuedTicket implements RoutedTicket {
  readonly decision: RouteDecision;
  readonly priority: number;
  readonly events: AsyncIterable<EngineEvent>;
  readonly #request: EngineRequest;
  readonly #engine: TokenEngine;
  readonly #clock: Clock;
  readonly #offeredAt: number;
  readonly #onOver: (ticket: QueuedTicket, hadPlace: boolean) => void;
  readonly #begun = Promise.withResolvers<Ticket | null>();
  readonly #deadline = new AbortController();
  #ticket: Ticket | null = null;
  #settlement: { readonly keep: PrefixRef | null } | null = null;
  #refusal: { readonly code: EngineErrorCode; readonly message: string } | null = null;
  #queueMs = 0;
  #over = false;

  constructor(
    request: EngineRequest,
    decision: RouteDecision,
    ports: {
      readonly engine: TokenEngine;
      readonly clock: Clock;
      /** Called once when the ticket needs no place any more; `hadPlace` says whether an engine had it. */
      readonly onOver: (ticket: QueuedTicket, hadPlace: boolean) => void;
    },
  ) {
    this.#request = request;
    this.decision = decision;
    this.priority = request.priority;
    this.#engine = ports.engine;
    this.#clock = ports.clock;
    this.#onOver = ports.onOver;
    this.#offeredAt = ports.clock.now();
    this.events = this.#read();
  }

  /** The ticket has a place: its engine takes over. */
  start(): void {
    this.#deadline.abort();
    this.#queueMs = this.#clock.now() - this.#offeredAt;
    const { deadlineMs } = this.#request;
    const left = deadlineMs === undefined ? {} : { deadlineMs: Math.max(0, deadlineMs - this.#queueMs) };
    this.#ticket = this.#engine.submit({ ...this.#request, ...left });
    if (this.#settlement !== null) this.#ticket.settle(this.#settlement.keep);
    this.#begun.resolve(this.#ticket);
  }

  /** The ticket waits in line, no longer than its deadline. */
  wait(): void {
    const { deadlineMs } = this.#request;
    if (deadlineMs === undefined) return;
    this.#clock.sleep(deadlineMs, this.#deadline.signal).then(
      () => this.refuse("cancelled", "The deadline passed before the request began."),
      () => undefined,
    );
  }

  /** Ends a ticket that no engine has seen; without effect on any other. */
  refuse(code: EngineErrorCode, message: string): void {
    if (this.#ticket !== null || this.#refusal !== null) return;
    this.#refusal = { code, message };
    this.#deadline.abort();
    this.#begun.resolve(null);
    this.#finish();
  }

  cancel(): void {
    if (this.#ticket === null) this.refuse("cancelled", "The request was cancelled before it began.");
    else this.#ticket.cancel();
  }

  settle(keep: PrefixRef | null): void {
    this.#settlement ??= { keep };
    this.#ticket?.settle(keep);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#ticket === null) this.refuse("cancelled", "The request was disposed of before it began.");
    else await this.#ticket[Symbol.asyncDispose]();
    this.#finish();
  }

  async *#read(): AsyncGenerator<EngineEvent> {
    const ticket = await this.#begun.promise;
    if (ticket === null) {
      const { code, message } = this.#refusal ?? {
        code: "engine_failed",
        message: "The request never began.",
      };
      yield { type: "error", code, message, retryable: code === "engine_restarting", evaluated: 0 };
      return;
    }
    for await (const event of ticket.events) {
      if (event.type === "end" || event.type === "error") this.#finish();
      yield this.#withQueueTime(event);
    }
    this.#finish();
  }

  #withQueueTime(event: EngineEvent): EngineEvent {
    if (event.type === "admitted") return { ...event, queueMs: event.queueMs + this.#queueMs };
    if (event.type === "end") return { ...event, ms: { ...event.ms, queue: event.ms.queue + this.#queueMs } };
    return event;
  }

  #finish(): void {
    if (this.#over) return;
    this.#over = true;
    this.#onOver(this, this.#ticket !== null);
  }
}
