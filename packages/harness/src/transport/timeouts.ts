/** Limits of waiting, in milliseconds. */
export interface TransportTimeouts {
  /** Until a connection stands. */
  readonly connectMs: number;
  /** Between two signs of life while a response runs. */
  readonly idleMs: number;
  /** For a warm-up; servers answer within 10 s and prefill on. */
  readonly warmUpMs: number;
  /** For the end of a cancelled response; after it the socket is closed, which stops the server. */
  readonly drainMs: number;
  /** Silence after which a socket is asked whether it still stands before a request goes out on it. */
  readonly probeAfterMs: number;
  /** For the answer to that question. */
  readonly probeMs: number;
  /** Age at which a socket is replaced between two responses; servers cut at 60 minutes. */
  readonly maxAgeMs: number;
}

export const defaultTimeouts: TransportTimeouts = {
  connectMs: 10_000,
  idleMs: 300_000,
  warmUpMs: 12_000,
  drainMs: 250,
  probeAfterMs: 60_000,
  probeMs: 3_000,
  maxAgeMs: 55 * 60_000,
};
