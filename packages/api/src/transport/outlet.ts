import type { Clock } from "@slipstream-stack/inference";
import type { TransportLimits } from "./limits.ts";
import { startTimer } from "./timer.ts";

/** A socket as an outlet sees it. */
export interface Sink {
  /** Hands text to the socket; `written` is called once it has left the process, or never will. */
  write(text: string, written: () => void): void;
  /** Ends the connection at once. */
  cut(): void;
}

export interface OutletObserver {
  /** A response had to wait for its client. */
  stalled(): void;
  /** The connection was cut because its client does not read. */
  cut(): void;
}

/**
 * The bounded way out of one connection. `send` resolves at once while few bytes are unsent, and else when
 * the client has read enough; a client that reads nothing for too long, or too far behind, is cut off.
 */
export class Outlet {
  readonly #sink: Sink;
  readonly #limits: TransportLimits;
  readonly #clock: Clock;
  readonly #observer: OutletObserver;
  #unsent = 0;
  #closed = false;
  #waiting: (() => void)[] = [];
  #stopStall: (() => void) | null = null;

  constructor(sink: Sink, limits: TransportLimits, clock: Clock, observer: OutletObserver) {
    this.#sink = sink;
    this.#limits = limits;
    this.#clock = clock;
    this.#observer = observer;
  }

  /** Bytes handed over that the client has not taken yet. */
  get unsent(): number {
    return this.#unsent;
  }

  /** Sends text; resolves when there is room for more, or when the connection has ended. Never rejects. */
  send(text: string): Promise<void> {
    if (this.#closed) return Promise.resolve();
    const bytes = Buffer.byteLength(text);
    this.#unsent += bytes;
    this.#sink.write(text, () => this.#written(bytes));
    if (this.#unsent > this.#limits.sendBufferHardBytes) this.#cut();
    if (this.#closed || this.#unsent <= this.#limits.sendBufferBytes) return Promise.resolve();
    return this.#room();
  }

  /** The connection has ended: nobody waits any more. */
  close(): void {
    this.#closed = true;
    this.#release();
  }

  #room(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    if (this.#stopStall === null) {
      this.#observer.stalled();
      this.#stopStall = startTimer(this.#clock, this.#limits.sendStallMs, () => this.#cut());
    }
    return promise;
  }

  #written(bytes: number): void {
    this.#unsent -= bytes;
    if (this.#unsent <= this.#limits.sendBufferBytes / 2) this.#release();
  }

  #release(): void {
    this.#stopStall?.();
    this.#stopStall = null;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  #cut(): void {
    if (this.#closed) return;
    this.close();
    this.#observer.cut();
    this.#sink.cut();
  }
}
