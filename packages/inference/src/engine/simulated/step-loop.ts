import type { Clock } from "../../port/clock.ts";
import { admit } from "./admission.ts";
import { type CostModel, stepMs } from "./cost-model.ts";
import type { HeldTree } from "./held-tree.ts";
import type { LostBlocks } from "./lost-blocks.ts";
import type { RequestRun } from "./request-run.ts";
import type { RunTable } from "./run-table.ts";

interface StepLoopSettings {
  readonly clock: Clock;
  readonly cost: CostModel;
  readonly maxRunning: number;
  readonly chunkTokens: number;
  readonly credit: number;
  readonly joinMs: number;
  readonly contextLength: number;
}

/** How many rows of a request the next step evaluates. */
interface Row {
  readonly run: RequestRun;
  readonly rows: number;
}

/** Evaluates all running requests step by step: one row for each that decodes, the rest for prefill in turn. */
export class StepLoop {
  readonly #tree: HeldTree;
  readonly #runs: RunTable;
  readonly #lost: LostBlocks;
  readonly #settings: StepLoopSettings;
  #turning: Promise<void> | null = null;
  #wake = Promise.withResolvers<void>();
  /** Milliseconds of cost that were too short to sleep for. */
  #debt = 0;
  #epoch = 0;
  #totals = { tokensPrefilled: 0, tokensDecoded: 0, steps: 0 };

  constructor(tree: HeldTree, runs: RunTable, lost: LostBlocks, settings: StepLoopSettings) {
    this.#tree = tree;
    this.#runs = runs;
    this.#lost = lost;
    this.#settings = settings;
  }

  get totals(): Readonly<{ tokensPrefilled: number; tokensDecoded: number; steps: number }> {
    return this.#totals;
  }

  /** Something changed: turn, if there is work. */
  kick(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
    this.#turning ??= this.#turn()
      .catch((error: unknown) => this.#runs.abandon("engine_failed", `The simulated engine failed: ${error}`))
      .finally(() => {
        this.#turning = null;
        if (this.#hasWork()) this.kick();
      });
  }

  /** Resolves when nothing waits or runs. */
  async idle(): Promise<void> {
    while (this.#turning !== null) await this.#turning;
  }

  restart(): void {
    this.#epoch++;
    this.#totals = { tokensPrefilled: 0, tokensDecoded: 0, steps: 0 };
  }

  #hasWork(): boolean {
    return this.#runs.waiting.length > 0 || this.#runs.running.size > 0;
  }

  async #turn(): Promise<void> {
    await Promise.resolve();
    while (this.#hasWork()) {
      this.#runs.expire();
      admit(this.#tree, this.#runs, this.#lost, this.#settings);
      if (this.#finishCancelled()) continue;
      const step = this.#plan();
      if (step.length > 0) await this.#evaluate(step);
      else if (this.#hasWork()) await this.#pause();
    }
  }

  /** Waits until something changes or the next time limit is due. */
  async #pause(): Promise<void> {
    const limits = [this.#runs.nextExpiry(), this.#nextJoinLimit()].filter((limit) => limit !== null);
    const wake = this.#wake.promise;
    if (limits.length === 0) return wake;
    const stop = new AbortController();
    const limit = this.#settings.clock.sleep(Math.min(...limits), stop.signal).catch(() => undefined);
    await Promise.race([wake, limit]);
    stop.abort();
  }

  #nextJoinLimit(): number | null {
    const now = this.#settings.clock.now();
    const due = this.#runs.waiting
      .map((run) => run.submittedAt + this.#settings.joinMs - now)
      .filter((ms) => ms > 0);
    return due.length === 0 ? null : Math.min(...due);
  }

  #plan(): Row[] {
    for (;;) {
      const rows = this.#chooseRows();
      const needed = rows.reduce((sum, row) => sum + row.rows, 0);
      if (needed === 0 || this.#tree.makeRoom(needed, this.#runs.privateTokens(), this.#settings.clock.now()))
        return rows;
      const youngest = this.#runs.youngest();
      if (youngest === null) return [];
      this.#runs.park(youngest);
    }
  }

  #chooseRows(): Row[] {
    const decoding: Row[] = [];
    const prefilling: RequestRun[] = [];
    for (const run of this.#runs.running) {
      if (run.pending > 1 || run.sequence.sampled.length === 0) prefilling.push(run);
      else if (run.events.unread < this.#settings.credit) decoding.push({ run, rows: 1 });
    }
    let budget = this.#settings.chunkTokens;
    for (const run of prefilling) {
      const rows = Math.min(budget, run.pending);
      if (rows === 0) break;
      decoding.push({ run, rows });
      budget -= rows;
    }
    return decoding;
  }

  async #evaluate(step: readonly Row[]): Promise<void> {
    const epoch = this.#epoch;
    const prefill = step.filter(({ run }) => isPrefill(run)).reduce((sum, { rows }) => sum + rows, 0);
    const decode = step.filter(({ run }) => !isPrefill(run)).length;
    await this.#spend(stepMs(this.#settings.cost, prefill, decode));
    if (epoch !== this.#epoch) return;
    this.#totals.tokensPrefilled += prefill;
    this.#totals.tokensDecoded += decode;
    this.#totals.steps++;
    for (const row of step) if (row.run.state === "running") this.#apply(row);
  }

  #apply({ run, rows }: Row): void {
    const now = this.#settings.clock.now();
    const { request, sequence } = run;
    const prefill = isPrefill(run);
    sequence.advance(rows, request.useCache, now);
    run.evaluated += rows;
    if (prefill) {
      run.events.push({ type: "prefill", done: sequence.position, total: sequence.length });
      if (run.pending === 0 && sequence.sampled.length === 0 && !this.#isTrue(run)) return;
    }
    if (run.pending > 0 || isLeft(run)) return;
    const finish = run.sample(now);
    if (finish !== null) this.#runs.finish(run, finish);
  }

  /** Holds the prompt against the identity it came with. */
  #isTrue(run: RequestRun): boolean {
    const { tip } = run.request.prompt;
    if (run.sequence.refAt(tip.length).hash === tip.hash) return true;
    this.#runs.reject(run, "The prompt's tokens do not hash to its tip.");
    return false;
  }

  /** Ends runs that are cancelled or left behind, save those whose prefill others wait for; true where any was. */
  #finishCancelled(): boolean {
    const over = [...this.#runs.running].filter(
      (run) => isLeft(run) && !(run.prefilling && this.#runs.isAwaited(run)),
    );
    for (const run of over) {
      this.#runs.finish(run, { reason: "cancelled", rule: null, keep: run.sequence.sampled.length });
    }
    return over.length > 0;
  }

  async #spend(ms: number): Promise<void> {
    this.#debt += ms;
    const due = this.#debt >= 1 ? this.#debt : 0;
    this.#debt -= due;
    await this.#settings.clock.sleep(due);
  }
}

/** Whether nobody wants the output of a run any more. */
function isLeft(run: RequestRun): boolean {
  return run.cancelled && !(run.request.outliveClient && run.prefilling);
}

function isPrefill(run: RequestRun): boolean {
  return run.pending > 1 || run.sequence.sampled.length === 0;
}
