import type { PrefixRef } from "../../../port/prefix.ts";
import type { EngineErrorCode, EngineEvent, Ticket } from "../../../port/token-engine.ts";
import { EventQueue } from "./event-queue.ts";

/** Token events a request may be ahead of its consumer. */
export const creditWindow = 256;
const creditStep = 64;

export interface TicketPorts {
  cancel(): void;
  credit(count: number): void;
  settle(keep: PrefixRef | null): void;
  /** Cancels what runs and gives up the lease. */
  release(): void;
}

/** One request as its caller sees it: exactly one `end` or `error`, whatever becomes of the child. */
export class LlamaTicket implements Ticket {
  readonly #ports: TicketPorts;
  readonly #queue: EventQueue<EngineEvent>;
  #uncredited = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(ports: TicketPorts, deadlineMs: number | undefined) {
    this.#ports = ports;
    this.#queue = new EventQueue((event) => this.#pulled(event));
    if (deadlineMs !== undefined) this.#timer = setTimeout(() => this.cancel(), deadlineMs);
  }

  get events(): AsyncIterable<EngineEvent> {
    return this.#queue;
  }

  get ended(): boolean {
    return this.#queue.ended;
  }

  /** Takes an event of the engine. */
  receive(event: EngineEvent): void {
    this.#queue.push(event);
    if (event.type !== "end" && event.type !== "error") return;
    clearTimeout(this.#timer);
    this.#queue.end();
  }

  fail(code: EngineErrorCode, message: string, retryable: boolean): void {
    this.receive({ type: "error", code, message, retryable, evaluated: 0 });
  }

  cancel(): void {
    if (!this.ended) this.#ports.cancel();
  }

  settle(keep: PrefixRef | null): void {
    this.#ports.settle(keep);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ports.release();
  }

  #pulled(event: EngineEvent): void {
    if (event.type !== "tokens") return;
    this.#uncredited += 1;
    if (this.#uncredited < creditStep) return;
    if (!this.ended) this.#ports.credit(this.#uncredited);
    this.#uncredited = 0;
  }
}
