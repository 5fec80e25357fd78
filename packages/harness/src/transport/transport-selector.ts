import type { TransportError } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { ModelTransport, TransportKind } from "./model-transport.ts";

/** When to leave the preferred transport and when to come back. */
export interface FallbackLimits {
  /** Failures of the connection in a row after which the fallback is used. */
  readonly failures: number;
  readonly firstCoolDownMs: number;
  readonly maxCoolDownMs: number;
}

export const defaultFallbackLimits: FallbackLimits = {
  failures: 2,
  firstCoolDownMs: 60_000,
  maxCoolDownMs: 15 * 60_000,
};

/**
 * Chooses between the preferred transport and its fallback. A server without WebSocket (426) is left at once,
 * one whose socket keeps failing after a few attempts; both are tried again when the cool-down is over, which
 * doubles from one failure to the next.
 */
export class TransportSelector {
  readonly #preferred: ModelTransport;
  readonly #fallback: ModelTransport | null;
  readonly #clock: Clock;
  readonly #limits: FallbackLimits;
  #failures = 0;
  #coolDownMs: number;
  #until = Number.NEGATIVE_INFINITY;

  constructor(
    preferred: ModelTransport,
    fallback: ModelTransport | null,
    clock: Clock,
    limits: FallbackLimits = defaultFallbackLimits,
  ) {
    this.#preferred = preferred;
    this.#fallback = fallback;
    this.#clock = clock;
    this.#limits = limits;
    this.#coolDownMs = limits.firstCoolDownMs;
  }

  current(): ModelTransport {
    if (this.#fallback === null || this.#clock.now() >= this.#until) return this.#preferred;
    return this.#fallback;
  }

  succeeded(kind: TransportKind): void {
    if (kind !== this.#preferred.kind) return;
    this.#failures = 0;
    this.#coolDownMs = this.#limits.firstCoolDownMs;
  }

  /** Notes a failure; true where it made the fallback take over. */
  failed(kind: TransportKind, failure: TransportError): boolean {
    if (this.#fallback === null || kind !== this.#preferred.kind) return false;
    if (failure.kind === "rejected") return false;
    this.#failures += 1;
    // A refusal that asks for a wait is not waited for: the fallback can serve the request now.
    const isFinal =
      failure.kind === "upgrade_required" || (failure.kind === "refused" && failure.retryAfterMs !== null);
    if (!isFinal && this.#failures < this.#limits.failures) return false;
    this.#failures = 0;
    this.#until = this.#clock.now() + this.#coolDownMs;
    this.#coolDownMs = Math.min(this.#limits.maxCoolDownMs, this.#coolDownMs * 2);
    return true;
  }

  all(): readonly ModelTransport[] {
    return this.#fallback === null ? [this.#preferred] : [this.#preferred, this.#fallback];
  }
}
