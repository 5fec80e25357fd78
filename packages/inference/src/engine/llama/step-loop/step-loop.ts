import type { PrefixRef } from "../../../port/prefix.ts";
import { isResident, type Sequence } from "../sequences/sequence.ts";
import { SequenceTable } from "../sequences/sequence-table.ts";
import { byPrecedence, cellsToStart, chooseBase, outstandingCells } from "./admission.ts";
import type { Evaluator } from "./evaluator.ts";
import type { Job } from "./job.ts";
import { Leases } from "./leases.ts";
import type { LoopOptions, LoopPorts } from "./loop-options.ts";
import { initialPlanState, type PlannedRows, type PlanState, planStep } from "./plan-step.ts";
import {
  createRunningRequest,
  isDecoding,
  isOutside,
  isRunnable,
  pendingTokens,
  type RunningRequest,
} from "./running-request.ts";
import { sampleRow } from "./sample-row.ts";

/** What a step did: evaluated rows, or waits for a mask (soon), or has nothing to do until something arrives. */
export type StepOutcome = "evaluated" | "waiting" | "idle";

type Resident = Sequence & { slot: number };

interface BatchRow {
  readonly request: RunningRequest;
  readonly sequence: Resident;
  readonly count: number;
  /** The batch row whose logits it samples from, or null within a prompt. */
  readonly output: number | null;
}

/** Totals since the loop began. */
export interface LoopTotals {
  prefilled: number;
  decoded: number;
  steps: number;
}

/**
 * Continuous batching over one evaluator: admits requests, evaluates one batch per `step`, samples, and keeps
 * what has been evaluated for later requests. Nothing in it waits; cancels take effect between steps.
 */
export class StepLoop {
  readonly table: SequenceTable;
  readonly totals: LoopTotals = { prefilled: 0, decoded: 0, steps: 0 };
  readonly #evaluator: Evaluator;
  readonly #options: LoopOptions & { readonly batchSize: number };
  readonly #ports: LoopPorts;
  readonly #leases: Leases;
  readonly #requests = new Map<string, RunningRequest>();
  #order = 0;
  #plan: PlanState = initialPlanState;

  constructor(evaluator: Evaluator, options: LoopOptions, ports: LoopPorts) {
    this.#evaluator = evaluator;
    this.#options = { ...options, batchSize: evaluator.batchSize };
    this.#ports = ports;
    this.table = new SequenceTable(evaluator, options);
    this.#leases = new Leases(this.table, options.leaseMs);
  }

  /** Requests by state, for gauges. */
  counts(): { running: number; waiting: number; uncachedTokens: number } {
    let running = 0;
    let uncachedTokens = 0;
    for (const request of this.#requests.values()) {
      if (request.sequence !== null) running += 1;
      uncachedTokens += request.sequence === null ? request.job.prompt.length : this.#prefillLeft(request);
    }
    return { running, waiting: this.#requests.size - running, uncachedTokens };
  }

  /** Takes a request that has been validated (`validateJob`). */
  submit(job: Job): void {
    const { constraints, forced } = job.decode;
    const session =
      constraints.length > 0 && forced === undefined ? this.#ports.openConstraints(constraints) : null;
    const { drawSeed, now } = this.#ports;
    this.#requests.set(job.id, createRunningRequest(job, this.#order, session, drawSeed, now()));
    this.#order += 1;
  }

  cancel(id: string): void {
    const request = this.#requests.get(id);
    if (request !== undefined) request.cancelled = true;
  }

  /** Allows a request so many more token events. */
  credit(id: string, count: number): void {
    const request = this.#requests.get(id);
    if (request !== undefined) request.credit += count;
  }

  /** Shortens or frees (`null`) what an ended request left behind. */
  settle(id: string, keep: PrefixRef | null): void {
    this.#leases.settle(id, keep);
  }

  /** Says what will become of a prefix; it never pins. */
  hint(prefix: PrefixRef, kind: "dead" | "idle" | "soon"): void {
    for (const sequence of this.table.all) {
      if (sequence.owner !== null || !sequence.tokens.holds(prefix)) continue;
      if (kind === "soon") this.table.touch(sequence);
      else if (kind === "dead" && sequence.tokens.length === prefix.length) this.table.demote(sequence);
    }
  }

  step(): StepOutcome {
    this.#leases.expire(this.#ports.now());
    this.#endCancelled();
    this.#sampleHeld();
    this.#admit();
    const rows = this.#prepareRows();
    if (rows.length === 0) return this.#restOutcome();
    this.table.coolDown();
    const batch = this.#fillBatch(rows);
    this.#evaluator.clearAbort();
    this.#ports.watchBatch(batch.map(({ request }) => request.job.id));
    const outcome = this.#evaluator.decode();
    this.#ports.watchBatch([]);
    this.totals.steps += 1;
    if (outcome === "done") this.#finishBatch(batch);
    else if (outcome === "aborted") this.#afterAbort(batch);
    else this.#afterFull();
    return "evaluated";
  }

  #restOutcome(): StepOutcome {
    for (const request of this.#requests.values()) if (request.heldLogits !== null) return "waiting";
    return "idle";
  }

  // ---- admission ---------------------------------------------------------------------------------

  #admit(): void {
    if (this.#options.deterministic && !this.#makeWayAlone()) return;
    const queue = [...this.#requests.values()].filter(isOutside).sort(byPrecedence);
    for (const request of queue) {
      const { sequence } = request;
      const goesOn = sequence === null ? this.#tryStart(request) : this.#tryResume(sequence, request);
      if (!goesOn || (this.#options.deterministic && this.#active().length > 0)) return;
    }
  }

  /**
   * In deterministic mode one request at a time is in the cache, with nothing else: on this kernel results depend
   * on where its cells lie. False: one is. One that waits for its consumer makes way for another.
   */
  #makeWayAlone(): boolean {
    const [running] = this.#active();
    if (running?.sequence == null) return true;
    const stalled = running.credit <= 0 && running.sampled > 0 && running.heldLogits === null;
    const wanted = stalled && [...this.#requests.values()].some(isOutside);
    if (wanted) this.table.park(running.sequence);
    return wanted;
  }

  /** False: it must wait, and so must those behind it. */
  #tryStart(request: RunningRequest): boolean {
    const now = this.#ports.now();
    const base = chooseBase(request, this.table, this.#options, now);
    if (base === "wait") return true;
    const { job } = request;
    const needed = cellsToStart(job.prompt.length, base) + this.#reserve(request);
    if (!this.#fits(needed, base?.sequence ?? null)) return false;
    if (this.#options.deterministic) this.table.parkAllIdle(base?.sequence ?? null);
    const visible = job.gated ? job.prompt.length : Number.MAX_SAFE_INTEGER;
    const opened = this.table.open(job, base, job.useCache ? visible : 0);
    request.sequence = opened.sequence;
    request.admittedAt = now;
    this.table.restore(opened.sequence);
    if (this.#options.deterministic) this.table.parkAllIdle(null);
    this.#ports.emit(job.id, {
      type: "admitted",
      cached: { ...opened.cached, disk: 0, remote: 0 },
      queueMs: now - request.submittedAt,
      missCause: this.#missCause(job),
    });
    return true;
  }

  #missCause(job: Job): string | null {
    if (!job.useCache) return "reuse_off";
    return job.baseMissed ? "base_evicted" : null;
  }

  #tryResume(sequence: Sequence, request: RunningRequest): boolean {
    if (this.#options.deterministic) this.table.parkAllIdle(null);
    const needed = sequence.evaluated + outstandingCells(request, this.#options.outputReserve);
    return this.#fits(needed, sequence) && this.table.restore(sequence);
  }

  #reserve(request: RunningRequest): number {
    return Math.min(request.job.decode.maxTokens, this.#options.outputReserve);
  }

  /** Makes room for `needed` cells and a sequence number beside what running requests still need. */
  #fits(needed: number, except: Sequence | null): boolean {
    const active = this.#active();
    const promised = active.reduce(
      (sum, other) => sum + outstandingCells(other, this.#options.outputReserve),
      0,
    );
    const free = this.table.cells.free + this.table.reclaimable();
    // With nothing running all can be reclaimed, cells shared among idle sequences too.
    if (active.length > 0 && promised + needed > free) return false;
    const target = Math.min(promised + needed, this.table.cells.size);
    while (this.table.cells.free < target || this.table.freeSlots === 0) {
      if (!this.table.parkIdle(except)) break;
    }
    return this.table.freeSlots > 0;
  }

  #active(): RunningRequest[] {
    return [...this.#requests.values()].filter(({ sequence }) => sequence !== null && sequence.slot !== null);
  }

  // ---- one batch ---------------------------------------------------------------------------------

  /** The next rows, after room has been made for them; a request may have been parked for it. */
  #prepareRows(): PlannedRows[] {
    for (;;) {
      const entries = this.#active()
        .filter(isRunnable)
        .map((request) => ({
          id: request.job.id,
          pending: pendingTokens(request),
          decoding: isDecoding(request),
          position: request.sequence?.evaluated ?? 0,
          priority: request.job.priority,
          order: request.order,
        }))
        .filter(({ pending }) => pending > 0);
      const { rows, state } = planStep(entries, this.#plan, this.#options);
      const needed = rows.reduce((sum, { count }) => sum + count, 0);
      if (this.#makeRoom(needed)) {
        this.#plan = state;
        return rows;
      }
    }
  }

  /** True: so many cells are free. False: somebody was parked or ended, plan again. */
  #makeRoom(needed: number): boolean {
    while (this.table.cells.free < needed) {
      if (this.table.parkIdle(null)) continue;
      this.#suspendYoungest();
      return false;
    }
    return true;
  }

  /** Parks the youngest running request, to be resumed; the last one that does not fit alone has failed. */
  #suspendYoungest(): void {
    const active = this.#active().sort(byPrecedence);
    const youngest = active.at(-1);
    if (youngest?.sequence == null) return;
    if (active.length > 1) this.table.park(youngest.sequence);
    else this.#fail(youngest, "out_of_kv", "The request does not fit into the cache.");
  }

  #fillBatch(rows: readonly PlannedRows[]): BatchRow[] {
    const { batch } = this.#evaluator;
    batch.clear();
    const filled: BatchRow[] = [];
    for (const { id, count } of rows) {
      const request = this.#requests.get(id);
      const sequence = request?.sequence;
      if (request === undefined || sequence == null || !isResident(sequence)) continue;
      const { tokens, evaluated } = sequence;
      let output: number | null = null;
      for (let index = 0; index < count; index += 1) {
        const position = evaluated + index;
        const last = position === tokens.length - 1;
        const row = batch.add(sequence.slot, position, tokens.at(position), last);
        if (last) output = row;
      }
      filled.push({ request, sequence, count, output });
    }
    return filled;
  }

  #finishBatch(batch: readonly BatchRow[]): void {
    for (const { request, sequence, count } of batch) this.#noteEvaluated(request, sequence, count);
    for (const { request, output } of batch) {
      if (output === null) this.#emitPrefill(request);
      else this.#sample(request, this.#evaluator.logits(output), true);
    }
  }

  #noteEvaluated(request: RunningRequest, sequence: Resident, count: number): void {
    const decoded = isDecoding(request);
    this.totals[decoded ? "decoded" : "prefilled"] += count;
    this.table.evaluated(sequence, count);
    request.evaluated += count;
  }

  /** Completed parts of an aborted batch stay in the cache, but their logits are gone. */
  #afterAbort(batch: readonly BatchRow[]): void {
    for (const { request, sequence } of batch) {
      const held = this.#evaluator.sequenceLength(sequence.slot);
      if (held > sequence.evaluated) this.#noteEvaluated(request, sequence, held - sequence.evaluated);
      if (sequence.evaluated === sequence.tokens.length) this.#evaluateLastAgain(sequence);
    }
  }

  #evaluateLastAgain(sequence: Resident): void {
    const last = sequence.tokens.view(sequence.tokens.length - 1, sequence.tokens.length).slice();
    this.table.truncate(sequence, sequence.tokens.length - 1);
    sequence.tokens.append(last);
  }

  #afterFull(): void {
    // The ledger counted this room as free; whatever the library misses, less must be resident.
    if (!this.table.parkIdle(null)) this.#suspendYoungest();
  }

  // ---- sampling and ends -------------------------------------------------------------------------

  #sampleHeld(): void {
    for (const request of [...this.#requests.values()]) {
      const { heldLogits } = request;
      if (heldLogits === null || request.session?.ready() === false) continue;
      request.heldLogits = null;
      this.#sample(request, heldLogits, false);
    }
  }

  #sample(request: RunningRequest, logits: Float32Array, borrowed: boolean): void {
    if (request.sampled === 0 && request.prefilledAt === 0) {
      request.prefilledAt = this.#ports.now();
      this.#emitPrefill(request);
    }
    if (request.job.decode.maxTokens === 0 || request.detached) {
      this.#end(request, "length", null, 0);
      return;
    }
    const outcome = sampleRow(request, logits);
    if (outcome.type === "wait") request.heldLogits = borrowed ? logits.slice() : logits;
    else if (outcome.type === "finished") this.#end(request, "stop", null, request.sampled);
    else if (outcome.type === "failed") {
      this.#fail(request, outcome.invalid ? "invalid_request" : "engine_failed", outcome.message);
    } else this.#accept(request, outcome.id, outcome.logprob);
  }

  #accept(request: RunningRequest, id: number, logprob: number | null): void {
    const { decode } = request.job;
    request.sequence?.tokens.append(Uint32Array.of(id));
    request.sampled += 1;
    request.credit -= 1;
    this.#ports.emit(request.job.id, {
      type: "tokens",
      ids: Uint32Array.of(id),
      ...(logprob === null ? {} : { logprobs: Float32Array.of(logprob) }),
    });
    const bytes = this.#ports.piece(id);
    const rule = this.#firedRule(request, id, bytes);
    if (rule !== null) {
      this.#end(request, "stop", rule.rule, rule.keep);
      return;
    }
    const full = (request.sequence?.tokens.length ?? 0) >= this.#options.contextLength;
    if (request.sampled >= decode.maxTokens || full) this.#end(request, "length", null, request.sampled);
    else request.session?.accept(id, bytes);
  }

  /** The stop rule that the newest token fires, and the ids that belong to the output. */
  #firedRule(request: RunningRequest, id: number, bytes: Uint8Array): { rule: number; keep: number } | null {
    const { stopTokens } = request.job.decode;
    const stopToken = stopTokens.indexOf(id);
    if (stopToken >= 0) return { rule: stopToken, keep: request.sampled - 1 };
    const match = request.stops.push(bytes);
    return match === null ? null : { rule: stopTokens.length + match.rule, keep: match.keep };
  }

  #endCancelled(): void {
    for (const request of [...this.#requests.values()]) {
      if (!request.cancelled || request.detached) continue;
      if (this.#prefillOutlives(request)) {
        request.detached = true;
        this.#emitEnd(request, "cancelled", null, 0, null);
      } else {
        this.#end(request, "cancelled", null, request.sampled);
      }
    }
  }

  /** Prefill that others wait for, or that was asked to go on, outlives its client. */
  #prefillOutlives(request: RunningRequest): boolean {
    if (request.sampled > 0 || !request.job.useCache) return false;
    if (request.job.outliveClient) return true;
    if (request.sequence === null) return false;
    for (const other of this.#requests.values()) {
      if (other.waitingFor?.match.sequence === request.sequence && !other.cancelled) return true;
    }
    return false;
  }

  #end(
    request: RunningRequest,
    reason: "stop" | "length" | "cancelled",
    rule: number | null,
    keep: number,
  ): void {
    const held = this.#leave(request, request.job.prompt.length + keep);
    if (!request.detached) this.#emitEnd(request, reason, rule, keep, held);
  }

  #fail(
    request: RunningRequest,
    code: "out_of_kv" | "engine_failed" | "invalid_request",
    message: string,
  ): void {
    this.#leave(request, request.job.prompt.length);
    if (request.detached) return;
    const { evaluated } = request;
    this.#ports.emit(request.job.id, {
      type: "error",
      code,
      message,
      retryable: code === "out_of_kv",
      evaluated,
    });
  }

  #leave(request: RunningRequest, length: number): PrefixRef | null {
    this.#requests.delete(request.job.id);
    request.session?.close();
    const { sequence, job } = request;
    if (sequence === null) return null;
    if (!job.useCache) {
      this.table.drop(sequence);
      return null;
    }
    const held = this.table.release(sequence, length);
    if (held === null) return null;
    if (!request.detached) this.#leases.grant(request.job, sequence, this.#ports.now());
    if (!job.gated) this.table.absorb(sequence);
    return held;
  }

  #emitEnd(
    request: RunningRequest,
    reason: "stop" | "length" | "cancelled",
    rule: number | null,
    keep: number,
    held: PrefixRef | null,
  ): void {
    const { submittedAt, admittedAt, prefilledAt, evaluated, job } = request;
    const now = this.#ports.now();
    const admitted = request.sequence === null ? now : admittedAt;
    const prefilled = prefilledAt === 0 ? now : prefilledAt;
    this.#ports.emit(job.id, {
      type: "end",
      reason,
      rule,
      keep,
      held,
      evaluated,
      ms: { queue: admitted - submittedAt, prefill: prefilled - admitted, decode: now - prefilled },
    });
  }

  #emitPrefill(request: RunningRequest): void {
    if (request.sampled > 0 || request.detached) return;
    const total = request.job.prompt.length;
    this.#ports.emit(request.job.id, { type: "prefill", done: total - this.#prefillLeft(request), total });
  }

  #prefillLeft({ sequence, job }: RunningRequest): number {
    return Math.max(0, job.prompt.length - (sequence?.evaluated ?? 0));
  }
}
