import type { PrefixRef } from "../../../port/prefix.ts";
import { SequenceTable } from "../sequences/sequence-table.ts";
import { byPrecedence } from "./admission.ts";
import { Admitter } from "./admitter.ts";
import type { Evaluator } from "./evaluator.ts";
import { type BatchPart, fillBatch, type ResidentSequence } from "./fill-batch.ts";
import type { Job } from "./job.ts";
import { Leases } from "./leases.ts";
import type { LoopOptions, LoopPorts } from "./loop-options.ts";
import { initialPlanState, type PlannedRows, type PlanState, planStep } from "./plan-step.ts";
import { RequestEnder } from "./request-ender.ts";
import { RequestPool } from "./request-pool.ts";
import { RequestSampler } from "./request-sampler.ts";
import { createRunningRequest, isDecoding, planEntry, type RunningRequest } from "./running-request.ts";

/** What a step did: evaluated rows, or waits for a mask (soon), or has nothing to do until something arrives. */
export type StepOutcome = "evaluated" | "waiting" | "idle";

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
  readonly #pool = new RequestPool();
  readonly #leases: Leases;
  readonly #ender: RequestEnder;
  readonly #sampler: RequestSampler;
  readonly #admitter: Admitter;
  #order = 0;
  #plan: PlanState = initialPlanState;

  constructor(evaluator: Evaluator, options: LoopOptions, ports: LoopPorts) {
    this.#evaluator = evaluator;
    this.#options = { ...options, batchSize: evaluator.batchSize };
    this.#ports = ports;
    this.table = new SequenceTable(evaluator, options, ports.now);
    this.#leases = new Leases(this.table, options.leaseMs);
    this.#ender = new RequestEnder(this.#pool, this.table, this.#leases, ports);
    this.#sampler = new RequestSampler(this.#pool, this.#ender, options.contextLength, ports);
    this.#admitter = new Admitter(this.#pool, this.table, this.#options, ports);
  }

  /** Requests by state, for gauges. */
  counts(): { running: number; waiting: number; uncachedTokens: number } {
    return this.#pool.counts();
  }

  /** True while something ends by time alone: a lease, or the wait for a shared prefix. */
  get watchesClock(): boolean {
    return this.#leases.size > 0 || this.#pool.all().some(({ waitingFor }) => waitingFor !== null);
  }

  /** Takes a request that has been validated (`validateJob`). */
  submit(job: Job): void {
    const { constraints, forced } = job.decode;
    const constrained = constraints.length > 0 && forced === undefined;
    const session = constrained ? this.#ports.openConstraints(constraints) : null;
    const { drawSeed, now } = this.#ports;
    this.#pool.add(createRunningRequest(job, this.#order, session, drawSeed, now()));
    this.#order += 1;
  }

  cancel(id: string): void {
    const request = this.#pool.get(id);
    if (request !== undefined) request.cancelled = true;
  }

  /** Allows a request so many more token events. */
  credit(id: string, count: number): void {
    const request = this.#pool.get(id);
    if (request !== undefined) request.credit += count;
  }

  /** Shortens or frees (`null`) what a request leaves behind; only the first call counts. */
  settle(id: string, keep: PrefixRef | null): void {
    const request = this.#pool.get(id);
    if (request === undefined) this.#leases.settle(id, keep);
    else request.settlement ??= { keep };
  }

  /** Its client has gone: cancels what runs, and gives up the say over what it leaves behind. */
  release(id: string): void {
    const request = this.#pool.get(id);
    if (request === undefined) {
      this.#leases.release(id);
      return;
    }
    request.released = true;
    request.cancelled = true;
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
    this.#ender.endCancelled();
    this.#sampler.sampleHeld();
    this.#admitter.admit();
    const rows = this.#prepareRows();
    if (rows.length === 0) {
      return this.#pool.all().some(({ heldLogits }) => heldLogits !== null) ? "waiting" : "idle";
    }
    this.table.coolDown();
    this.#evaluate(rows);
    return "evaluated";
  }

  /** The next rows, after room has been made for them; a request may have been parked for it. */
  #prepareRows(): PlannedRows[] {
    for (;;) {
      const entries = this.#pool.active().flatMap((request) => planEntry(request) ?? []);
      const { rows, state } = planStep(entries, this.#plan, this.#options);
      if (this.#makeRoom(rows.reduce((sum, { count }) => sum + count, 0))) {
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
    const active = this.#pool.active().sort(byPrecedence);
    const youngest = active.at(-1);
    if (youngest?.sequence == null) return;
    if (active.length > 1) this.table.park(youngest.sequence);
    else this.#ender.fail(youngest, "out_of_kv", "The request does not fit into the cache.");
  }

  #evaluate(rows: readonly PlannedRows[]): void {
    const parts = fillBatch(this.#evaluator.batch, rows, this.#pool);
    this.#evaluator.clearAbort();
    this.#ports.watchBatch(parts.map(({ request }) => request.job.id));
    const outcome = this.#evaluator.decode();
    this.#ports.watchBatch([]);
    this.totals.steps += 1;
    if (outcome === "done") this.#finish(parts);
    else if (outcome === "aborted") this.#takeUpAborted(parts);
    // The ledger counted this room as free; whatever the library misses, less must be resident.
    else if (!this.table.parkIdle(null)) this.#suspendYoungest();
  }

  #finish(parts: readonly BatchPart[]): void {
    for (const { request, sequence, count } of parts) this.#noteEvaluated(request, sequence, count);
    for (const { request, output } of parts) {
      if (output === null) this.#sampler.emitPrefill(request);
      else this.#sampler.sample(request, this.#evaluator.logits(output));
    }
  }

  /** Completed parts of an aborted batch stay in the cache, but their logits are gone. */
  #takeUpAborted(parts: readonly BatchPart[]): void {
    for (const { request, sequence } of parts) {
      const held = this.#evaluator.sequenceLength(sequence.slot);
      if (held > sequence.evaluated) this.#noteEvaluated(request, sequence, held - sequence.evaluated);
      if (sequence.evaluated === sequence.tokens.length) this.#evaluateLastAgain(sequence);
    }
  }

  #evaluateLastAgain(sequence: ResidentSequence): void {
    const last = sequence.tokens.view(sequence.tokens.length - 1, sequence.tokens.length).slice();
    this.table.truncate(sequence, sequence.tokens.length - 1);
    sequence.tokens.append(last);
  }

  #noteEvaluated(request: RunningRequest, sequence: ResidentSequence, count: number): void {
    this.totals[isDecoding(request) ? "decoded" : "prefilled"] += count;
    this.table.evaluated(sequence, count);
    request.evaluated += count;
  }
}
