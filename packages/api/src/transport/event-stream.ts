import type { Clock } from "@slipstream-stack/inference";
import {
  type EventBody,
  type ResponseObject,
  type StreamEvent,
  terminalEventTypes,
} from "@slipstream-stack/protocol";
import { startTimer } from "./timer.ts";

/** Sends one numbered event; resolves when there is room for more and never rejects. */
export type SendEvent = (event: StreamEvent) => Promise<void>;

export interface EventStreamOptions {
  readonly send: SendEvent;
  /** Name of the lane that every event carries, or null for none. */
  readonly lane: string | null;
  readonly clock: Clock;
  /** Silence in milliseconds after which `response.in_progress` is repeated. */
  readonly keepAliveMs: number;
}

/**
 * The events of one response on their way out: numbered from 0 without gaps, and kept alive. Clients count
 * silence in events (comments and pings do not reset their timers), so after a while without one the last
 * `response.in_progress` is sent again. It holds no output, so it may pass while output is held back.
 */
export class EventStream {
  readonly #options: EventStreamOptions;
  #sequence = 0;
  #lastSent: number;
  #started: ResponseObject | null = null;
  #ended = false;
  #stopTimer: () => void = () => undefined;

  constructor(options: EventStreamOptions) {
    this.#options = options;
    this.#lastSent = options.clock.now();
  }

  /** Whether an event has been sent: from then on a failure cannot be an HTTP status any more. */
  get hasStarted(): boolean {
    return this.#sequence > 0;
  }

  /** Whether the terminal event has been sent. */
  get hasEnded(): boolean {
    return this.#ended;
  }

  /** Numbers an event and sends it. Nothing is sent after a terminal event. */
  async emit(event: EventBody): Promise<void> {
    if (this.#ended) return;
    if (event.type === "response.created" || event.type === "response.in_progress") {
      if (this.#started === null) this.#watch();
      this.#started = event.response;
    }
    if (terminalEventTypes.has(event.type)) this.close();
    await this.#send(event);
  }

  /** Ends keep-alives; nothing is sent any more. */
  close(): void {
    this.#ended = true;
    this.#stopTimer();
  }

  #send(event: EventBody): Promise<void> {
    const { lane, clock, send } = this.#options;
    const numbered: StreamEvent = { ...event, sequence_number: this.#sequence };
    if (lane !== null) numbered.stream_id = lane;
    this.#sequence += 1;
    this.#lastSent = clock.now();
    return send(numbered);
  }

  #watch(): void {
    const { clock, keepAliveMs } = this.#options;
    const silence = clock.now() - this.#lastSent;
    this.#stopTimer = startTimer(clock, Math.max(1, keepAliveMs - silence), () => {
      if (this.#ended || this.#started === null) return;
      if (clock.now() - this.#lastSent >= keepAliveMs) {
        void this.#send({ type: "response.in_progress", response: this.#started });
      }
      this.#watch();
    });
  }
}
