import { type JsonValue, WireError } from "@slipstream-stack/protocol";
import type { TransportLimits } from "../limits.ts";

/** The lane of requests without `stream_id`. */
export const defaultLane = "";

const namePattern = /^[A-Za-z0-9_.-]{1,256}$/;

type Job = () => Promise<void>;

/**
 * The lanes of one connection: within a lane one request runs and the rest wait in order, different lanes run
 * at the same time, as many as are allowed. Lanes that have to wait for a place get it in the order in which
 * they became ready.
 */
export class Lanes {
  readonly #limits: TransportLimits;
  readonly #names = new Set<string>();
  readonly #queues = new Map<string, Job[]>();
  readonly #busy = new Set<string>();
  readonly #ready: string[] = [];
  readonly #idle: (() => void)[] = [];
  #queued = 0;

  constructor(limits: TransportLimits) {
    this.#limits = limits;
  }

  /** Requests running now. */
  get active(): number {
    return this.#busy.size;
  }

  /**
   * The lane a `stream_id` names; without one, the default lane.
   *
   * @throws WireError `invalid_stream_id`, `websocket_stream_limit_reached`
   */
  lane(streamId: JsonValue | undefined): string {
    if (streamId === undefined || streamId === null) return defaultLane;
    if (typeof streamId !== "string" || !namePattern.test(streamId)) {
      throw new WireError(
        "invalid_stream_id",
        "`stream_id` is 1 to 256 characters of A-Z, a-z, 0-9, _, ., -.",
        {
          param: "stream_id",
        },
      );
    }
    if (!this.#names.has(streamId) && this.#names.size >= this.#limits.laneNames) {
      throw new WireError(
        "websocket_stream_limit_reached",
        `A connection has at most ${this.#limits.laneNames} lanes; use one of its lanes, or another connection.`,
        { param: "stream_id" },
      );
    }
    this.#names.add(streamId);
    return streamId;
  }

  /**
   * Runs a job after all earlier ones of its lane. The job must not reject.
   *
   * @throws WireError `rate_limit_exceeded` where too many wait already
   */
  run(lane: string, job: Job): void {
    if (this.#queued >= this.#limits.queuedRequests) {
      throw new WireError(
        "rate_limit_exceeded",
        "Too many requests wait on this connection; await some first.",
        {
          retryAfterSeconds: 1,
        },
      );
    }
    this.#queued += 1;
    const queue = this.#queues.get(lane);
    if (queue !== undefined) {
      queue.push(job);
      return;
    }
    this.#queues.set(lane, [job]);
    this.#ready.push(lane);
    this.#fill();
  }

  /** Drops what has not begun. */
  clear(): void {
    this.#ready.length = 0;
    this.#queued = 0;
    for (const [lane, queue] of this.#queues) {
      queue.length = 0;
      if (!this.#busy.has(lane)) this.#queues.delete(lane);
    }
  }

  /** Resolves when nothing runs or waits. */
  idle(): Promise<void> {
    if (this.#queues.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #fill(): void {
    while (this.#busy.size < this.#limits.activeLanes) {
      const lane = this.#ready.shift();
      if (lane === undefined) return;
      const job = this.#queues.get(lane)?.shift();
      if (job === undefined) continue;
      this.#queued -= 1;
      this.#busy.add(lane);
      void job().finally(() => this.#ended(lane));
    }
  }

  #ended(lane: string): void {
    this.#busy.delete(lane);
    if (this.#queues.get(lane)?.length === 0) this.#queues.delete(lane);
    else this.#ready.push(lane);
    this.#fill();
    if (this.#queues.size > 0) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}
