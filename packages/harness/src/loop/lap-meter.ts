import type { Usage } from "@slipstream-stack/protocol";
import type { LapFigures, LapTokens } from "../events.ts";
import type { Clock } from "../ports/clock.ts";
import type { SentRequest } from "../transport/model-transport.ts";

/** Gathers the figures of one lap. */
export class LapMeter {
  readonly #clock: Clock;
  readonly #lap: number;
  readonly #previousEnd: number | null;
  #sent: SentRequest | null = null;
  #attempts = 0;
  #bytesSent = 0;
  #firstSentAt: number | null = null;
  #lastSentAt: number | null = null;
  #firstOutputAt: number | null = null;
  #endedAt: number | null = null;
  #toolMs = 0;
  #responseId: string | null = null;
  #usage: Usage | null = null;

  /** `previousEnd`: when the last response ended, on the same clock. */
  constructor(clock: Clock, lap: number, previousEnd: number | null) {
    this.#clock = clock;
    this.#lap = lap;
    this.#previousEnd = previousEnd;
  }

  /** When the response ended. */
  get endedAt(): number | null {
    return this.#endedAt;
  }

  get usage(): Usage | null {
    return this.#usage;
  }

  requestSent(sent: SentRequest): void {
    this.#sent = sent;
    this.#attempts += 1;
    this.#bytesSent += sent.bytes;
    this.#lastSentAt = this.#clock.now();
    this.#firstSentAt ??= this.#lastSentAt;
    this.#firstOutputAt = null;
  }

  outputSeen(): void {
    this.#firstOutputAt ??= this.#clock.now();
  }

  responseEnded(responseId: string | null, usage: Usage | null): void {
    this.#endedAt = this.#clock.now();
    this.#responseId = responseId;
    this.#usage = usage;
  }

  toolRan(milliseconds: number): void {
    this.#toolMs += milliseconds;
  }

  figures(): LapFigures {
    const sent = this.#sent;
    const started = this.#firstSentAt ?? this.#clock.now();
    return {
      lap: this.#lap,
      responseId: this.#responseId,
      transport: sent?.transport ?? null,
      mode: sent?.mode ?? "full",
      fullReason: sent?.reason ?? null,
      attempts: this.#attempts,
      bytesSent: this.#bytesSent,
      itemBytes: sent?.itemBytes ?? 0,
      items: sent?.items ?? 0,
      tokens: lapTokens(this.#usage),
      firstOutputMs:
        this.#firstOutputAt === null || this.#lastSentAt === null
          ? null
          : this.#firstOutputAt - this.#lastSentAt,
      modelMs: (this.#endedAt ?? this.#clock.now()) - started,
      toolMs: this.#toolMs,
      loopGapMs: this.#previousEnd === null ? null : started - this.#previousEnd,
    };
  }
}

function lapTokens(usage: Usage | null): LapTokens | null {
  if (usage === null) return null;
  const cached = usage.input_tokens_details.cached_tokens;
  return {
    input: usage.input_tokens,
    cached,
    new: usage.input_tokens - cached,
    output: usage.output_tokens,
  };
}
