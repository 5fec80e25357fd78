import type { Clock } from "../../port/clock.ts";
import type { PrefixRef } from "../../port/prefix.ts";
import type { EngineErrorCode } from "../../port/token-engine.ts";
import type { Finish, RequestRun } from "./request-run.ts";

/** Which requests are where, and how each leaves: the one place where state changes hands. */
export class RunTable {
  readonly #clock: Clock;
  readonly #leaseMs: number;
  /** By priority, then in the order they came. */
  readonly waiting: RequestRun[] = [];
  readonly running = new Set<RequestRun>();
  readonly unsettled = new Set<RequestRun>();
  #orders = 0;
  #admissions = 0;

  constructor(settings: { readonly clock: Clock; readonly leaseMs: number }) {
    this.#clock = settings.clock;
    this.#leaseMs = settings.leaseMs;
  }

  nextOrder(): number {
    return this.#orders++;
  }

  add(run: RequestRun): void {
    run.state = "waiting";
    const after = this.waiting.findIndex((other) => precedes(run, other));
    this.waiting.splice(after < 0 ? this.waiting.length : after, 0, run);
  }

  admit(run: RequestRun): void {
    this.waiting.splice(this.waiting.indexOf(run), 1);
    run.state = "running";
    run.admission = this.#admissions++;
    this.running.add(run);
  }

  /** Resident tokens outside the tree: of running requests, and of results that wait for a verdict. */
  privateTokens(): number {
    let tokens = 0;
    for (const run of this.running) tokens += run.sequence.privateTokens;
    for (const run of this.unsettled) tokens += run.sequence.privateTokens;
    return tokens;
  }

  /** Tokens that running requests know and have not evaluated: room that is spoken for. */
  promisedTokens(): number {
    let tokens = 0;
    for (const run of this.running) tokens += run.pending;
    return tokens;
  }

  /** Whether a waiting request counts on what this one prefills. */
  isAwaited(run: RequestRun): boolean {
    return this.waiting.some((other) => other.awaits === run);
  }

  youngest(): RequestRun | null {
    let youngest: RequestRun | null = null;
    for (const run of this.running)
      if (youngest === null || run.admission > youngest.admission) youngest = run;
    return youngest;
  }

  /** Back into the queue; what others may share stays held while there is room. */
  park(run: RequestRun): void {
    this.running.delete(run);
    run.sequence.park(run.shareable, this.#clock.now());
    this.add(run);
  }

  finish(run: RequestRun, finish: Finish): void {
    const now = this.#clock.now();
    const { request, sequence } = run;
    this.running.delete(run);
    const length = request.useCache ? request.prompt.length + finish.keep : 0;
    const held = sequence.finish(length, !request.gated, now);
    if (request.retain !== undefined)
      sequence.retain(request.retain.priority, now + request.retain.seconds * 1000);
    run.state = "unsettled";
    this.unsettled.add(run);
    run.end(finish, held, now);
    if (held === null) this.#release(run, 0);
    else if (run.settlement !== undefined) this.settle(run, run.settlement.keep);
    else if (run.detached) this.#expire(run);
  }

  /** A request whose fault showed while it ran: it leaves nothing behind. */
  reject(run: RequestRun, message: string): void {
    this.running.delete(run);
    run.sequence.settle(0, this.#clock.now());
    run.fail("invalid_request", message);
  }

  /** Nobody wants the output any more; prefill that outlives its client goes on. */
  cancel(run: RequestRun): void {
    run.cancelled = true;
    if (run.state === "waiting" && !run.request.outliveClient)
      this.#cancelWaiting(run, "The request was cancelled before it began.");
  }

  settle(run: RequestRun, keep: PrefixRef | null): void {
    run.settlement ??= { keep };
    if (run.state !== "unsettled") return;
    const { heldRef, request, sequence } = run;
    const fits = keep !== null && heldRef !== null && keep.length <= heldRef.length;
    const named = fits && sequence.refAt(keep.length).hash === keep.hash;
    this.#release(run, named ? keep.length : request.prompt.length);
  }

  /** The client has gone: cancels, save prefill that outlives it, and gives up the lease. */
  detach(run: RequestRun): void {
    run.detached = true;
    if (run.state === "unsettled") this.#expire(run);
    else this.cancel(run);
  }

  /** Ends what is over time: deadlines, and leases of results that nobody settled. */
  expire(): void {
    const now = this.#clock.now();
    for (const run of [...this.waiting]) {
      if (run.isPastDeadline(now)) this.#cancelWaiting(run, "The deadline passed before the request began.");
    }
    for (const run of this.running) if (run.isPastDeadline(now)) run.cancelled = true;
    for (const run of [...this.unsettled]) if (now - run.endedAt >= this.#leaseMs) this.#expire(run);
  }

  /** Milliseconds until the next deadline or lease ends, or null. */
  nextExpiry(): number | null {
    const now = this.#clock.now();
    const due: number[] = [];
    for (const run of [...this.waiting, ...this.running]) {
      const { deadlineMs } = run.request;
      if (deadlineMs !== undefined && !run.cancelled) due.push(run.submittedAt + deadlineMs - now);
    }
    if (this.waiting.length > 0)
      for (const run of this.unsettled) due.push(run.endedAt + this.#leaseMs - now);
    return due.length === 0 ? null : Math.max(0, Math.min(...due));
  }

  /** Ends everything that has not ended. */
  abandon(code: EngineErrorCode, message: string): void {
    for (const run of [...this.waiting, ...this.running]) run.fail(code, message);
    for (const run of this.unsettled) run.state = "done";
    this.waiting.length = 0;
    this.running.clear();
    this.unsettled.clear();
  }

  #cancelWaiting(run: RequestRun, message: string): void {
    this.waiting.splice(this.waiting.indexOf(run), 1);
    if (run.admission < 0) run.fail("cancelled", message);
    else this.finish(run, { reason: "cancelled", rule: null, keep: run.sequence.sampled.length });
  }

  /** Nobody settled in time: a gated output counts as refused, the prompt and anything else stay held. */
  #expire(run: RequestRun): void {
    this.#release(run, run.request.gated ? run.request.prompt.length : run.sequence.length);
  }

  #release(run: RequestRun, keep: number): void {
    run.sequence.settle(keep, this.#clock.now());
    run.state = "done";
    this.unsettled.delete(run);
  }
}

function precedes(run: RequestRun, other: RequestRun): boolean {
  if (run.request.priority !== other.request.priority) return run.request.priority > other.request.priority;
  return run.order < other.order;
}
