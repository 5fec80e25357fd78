import type { Clock } from "../port/clock.ts";
import type { EngineRequest, LoadReport, TokenEngine } from "../port/token-engine.ts";
import type { RouteDecision } from "../router/route.ts";
import { type AdmissionLimits, AdmissionQueue } from "./admission-queue.ts";
import { failedTicket, QueuedTicket, type RoutedTicket } from "./routed-ticket.ts";

/** One replica with the line before it. */
export class Worker {
  readonly id: string;
  readonly engine: TokenEngine;
  readonly #clock: Clock;
  readonly #queue: AdmissionQueue<QueuedTicket>;
  readonly #waiting = new Set<QueuedTicket>();
  #waitingTokens = 0;
  readonly #tokens = new Map<QueuedTicket, number>();

  constructor(id: string, engine: TokenEngine, clock: Clock, limits: AdmissionLimits) {
    this.id = id;
    this.engine = engine;
    this.#clock = clock;
    this.#queue = new AdmissionQueue(limits);
  }

  get saturated(): boolean {
    return this.#queue.saturated;
  }

  submit(request: EngineRequest, decision: RouteDecision): RoutedTicket {
    const ticket = new QueuedTicket(request, decision, {
      engine: this.engine,
      clock: this.#clock,
      onOver: (over, hadPlace) => this.#onOver(over, hadPlace),
    });
    const place = this.#queue.offer(ticket);
    if (place === "full") {
      const message = `${this.#queue.waiting} requests wait for ${this.id} already; send it again later.`;
      return failedTicket("queue_full", message, true, decision);
    }
    if (place === "run") ticket.start();
    else this.#line(ticket, request.prompt.length - decision.predictedCached);
    return ticket;
  }

  /** The engine's gauges, with what waits in line counted as waiting. */
  load(): LoadReport {
    const load = this.engine.load();
    return {
      ...load,
      waiting: load.waiting + this.#queue.waiting,
      uncachedTokensWaiting: load.uncachedTokensWaiting + this.#waitingTokens,
    };
  }

  /** Ends what waits in line and closes the engine. */
  async close(drainMs: number): Promise<void> {
    for (const ticket of [...this.#waiting])
      ticket.refuse("engine_restarting", "The server is closing; send it again.");
    await this.engine.close(drainMs);
  }

  #line(ticket: QueuedTicket, uncached: number): void {
    this.#waiting.add(ticket);
    this.#tokens.set(ticket, uncached);
    this.#waitingTokens += uncached;
    ticket.wait();
  }

  #leaveLine(ticket: QueuedTicket): void {
    this.#waiting.delete(ticket);
    this.#waitingTokens -= this.#tokens.get(ticket) ?? 0;
    this.#tokens.delete(ticket);
  }

  #onOver(ticket: QueuedTicket, hadPlace: boolean): void {
    if (!hadPlace) {
      this.#queue.withdraw(ticket);
      this.#leaveLine(ticket);
      return;
    }
    const next = this.#queue.release();
    if (next === null) return;
    this.#leaveLine(next);
    next.start();
  }
}
