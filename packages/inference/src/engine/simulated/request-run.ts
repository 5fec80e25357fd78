import type { PrefixRef } from "../../port/prefix.ts";
import type { EngineErrorCode, EngineEvent, EngineRequest } from "../../port/token-engine.ts";
import { ByteMatcher } from "./byte-matcher.ts";
import { EventQueue } from "./event-queue.ts";
import type { HeldSequence } from "./held-sequence.ts";
import type { SimulatedVocabulary } from "./simulated-vocabulary.ts";
import type { TokenChooser } from "./token-chooser.ts";

/** Why an output is over, and how many of its ids belong to it. */
export interface Finish {
  readonly reason: "stop" | "length" | "cancelled";
  readonly rule: number | null;
  readonly keep: number;
}

/**
 * `waiting` for room or a prefix, `running` in the step loop, `unsettled` once its end was told and its state
 * is leased, then `done`.
 */
export type RunState = "waiting" | "running" | "unsettled" | "done";

/** One request on its way through the simulated engine. */
export class RequestRun {
  readonly request: EngineRequest;
  readonly events: EventQueue;
  readonly sequence: HeldSequence;
  readonly order: number;
  readonly submittedAt: number;
  state: RunState = "waiting";
  cancelled = false;
  /** The client has gone; what was begun may go on. */
  detached = false;
  /** What `settle` said, once it has. */
  settlement: { readonly keep: PrefixRef | null } | undefined;
  heldRef: PrefixRef | null = null;
  /** Number of its last admission; the youngest is parked first. */
  admission = -1;
  admittedAt = 0;
  firstTokenAt: number | null = null;
  endedAt = 0;
  evaluated = 0;
  /** The run whose prefill this one waits for. */
  awaits: RequestRun | null = null;
  readonly #maxTokens: number;
  readonly #chooser: TokenChooser;
  readonly #vocabulary: SimulatedVocabulary;
  readonly #stops: ByteMatcher;
  /** Byte offset where each sampled token begins. */
  readonly #starts: number[] = [];
  #bytes = 0;

  constructor(
    request: EngineRequest,
    parts: {
      readonly sequence: HeldSequence;
      readonly chooser: TokenChooser;
      readonly vocabulary: SimulatedVocabulary;
      readonly contextLength: number;
      readonly order: number;
      readonly now: number;
      readonly onPull: () => void;
    },
  ) {
    this.request = request;
    this.sequence = parts.sequence;
    this.order = parts.order;
    this.submittedAt = parts.now;
    this.events = new EventQueue(parts.onPull);
    this.#maxTokens = Math.min(request.decode.maxTokens, parts.contextLength - request.prompt.length);
    this.#chooser = parts.chooser;
    this.#vocabulary = parts.vocabulary;
    this.#stops = new ByteMatcher(request.decode.stopBytes);
  }

  /** Known tokens that are not evaluated. */
  get pending(): number {
    return this.sequence.length - this.sequence.position;
  }

  get prefilling(): boolean {
    return this.sequence.position < this.request.prompt.length;
  }

  /** What others may share of this sequence: a gated output is nobody's before its verdict. */
  get shareable(): number {
    if (!this.request.useCache) return 0;
    return this.request.gated ? this.request.prompt.length : this.sequence.length;
  }

  isPastDeadline(now: number): boolean {
    const { deadlineMs } = this.request;
    return deadlineMs !== undefined && now - this.submittedAt >= deadlineMs;
  }

  /** Chooses the next token and tells it; says whether it ended the output. */
  sample(now: number): Finish | null {
    const { decode } = this.request;
    const count = this.sequence.sampled.length;
    if (count >= this.#maxTokens) return { reason: "length", rule: null, keep: count };
    const id = this.#chooser.next();
    if (id === null) return { reason: "stop", rule: null, keep: count };
    this.firstTokenAt ??= now;
    this.sequence.push(id);
    const logprobs = decode.logprobs === true ? Float32Array.of(this.#chooser.logprob(id, count)) : undefined;
    this.events.push({
      type: "tokens",
      ids: Uint32Array.of(id),
      ...(logprobs === undefined ? {} : { logprobs }),
    });
    return this.#finishedBy(id, count);
  }

  #finishedBy(id: number, count: number): Finish | null {
    const { decode } = this.request;
    const stopToken = decode.stopTokens.indexOf(id);
    if (stopToken >= 0) return { reason: "stop", rule: stopToken, keep: count };
    const piece = this.#vocabulary.pieces[id] ?? new Uint8Array(0);
    this.#starts.push(this.#bytes);
    this.#bytes += piece.length;
    const match = this.#stops.push(piece);
    if (match !== null) {
      const keep = this.#starts.findLastIndex((start) => start <= match.start);
      return { reason: "stop", rule: decode.stopTokens.length + match.pattern, keep };
    }
    return count + 1 >= this.#maxTokens ? { reason: "length", rule: null, keep: count + 1 } : null;
  }

  end(finish: Finish, held: PrefixRef | null, now: number): void {
    const decodeFrom = this.firstTokenAt ?? now;
    const ms = {
      queue: this.admittedAt - this.submittedAt,
      prefill: decodeFrom - this.admittedAt,
      decode: now - decodeFrom,
    };
    this.heldRef = held;
    this.endedAt = now;
    this.events.push({ type: "end", ...finish, held, evaluated: this.evaluated, ms });
  }

  fail(code: EngineErrorCode, message: string): void {
    const retryable = code === "engine_restarting" || code === "out_of_kv" || code === "base_gone";
    const event: EngineEvent = { type: "error", code, message, retryable, evaluated: this.evaluated };
    this.state = "done";
    this.events.push(event);
  }
}
