import { isResident, type Sequence } from "../sequences/sequence.ts";
import type { SequenceTable } from "../sequences/sequence-table.ts";
import { byPrecedence, cellsToStart, chooseBase, outstandingCells } from "./admission.ts";
import type { Job } from "./job.ts";
import type { LoopOptions, LoopPorts } from "./loop-options.ts";
import type { RequestPool } from "./request-pool.ts";
import type { RunningRequest } from "./running-request.ts";

/** Lets requests into the cache: new ones with the best base they can have, parked ones again. */
export class Admitter {
  readonly #pool: RequestPool;
  readonly #table: SequenceTable;
  readonly #options: LoopOptions & { readonly batchSize: number };
  readonly #ports: LoopPorts;

  constructor(
    pool: RequestPool,
    table: SequenceTable,
    options: LoopOptions & { readonly batchSize: number },
    ports: LoopPorts,
  ) {
    this.#pool = pool;
    this.#table = table;
    this.#options = options;
    this.#ports = ports;
  }

  /** In order of precedence, until one does not fit: nobody overtakes it for want of size. */
  admit(): void {
    const { deterministic } = this.#options;
    if (deterministic && !this.#makeWayAlone()) return;
    for (const request of this.#pool.outside().sort(byPrecedence)) {
      const { sequence } = request;
      const goesOn = sequence === null ? this.#tryStart(request) : this.#tryResume(sequence, request);
      if (!goesOn || (deterministic && this.#pool.active().length > 0)) return;
    }
  }

  /**
   * In deterministic mode one request at a time is in the cache, with nothing else: on this kernel results depend
   * on where its cells lie. False: one is. One that waits for its consumer makes way for another.
   */
  #makeWayAlone(): boolean {
    const [running] = this.#pool.active();
    if (running?.sequence == null) return true;
    const stalled = running.credit <= 0 && running.sampled > 0 && running.heldLogits === null;
    const wanted = stalled && this.#pool.outside().length > 0;
    if (wanted) this.#table.park(running.sequence);
    return wanted;
  }

  /** False: it must wait, and so must those behind it. */
  #tryStart(request: RunningRequest): boolean {
    const { job } = request;
    const { deterministic, outputReserve } = this.#options;
    const now = this.#ports.now();
    const base = chooseBase(request, this.#table, this.#options, now);
    if (base === "wait") return true;
    const needed = cellsToStart(job.prompt.length, base) + Math.min(job.decode.maxTokens, outputReserve);
    if (!this.#fits(needed, base?.sequence ?? null)) return false;
    if (deterministic) this.#table.parkAllIdle(base?.sequence ?? null);
    const visible = job.gated ? job.prompt.length : Number.MAX_SAFE_INTEGER;
    const { sequence, cached } = this.#table.open(job, base, job.useCache ? visible : 0);
    request.sequence = sequence;
    request.admittedAt = now;
    this.#table.restore(sequence);
    if (deterministic) this.#table.parkAllIdle(null);
    if (request.detached) return true;
    this.#ports.emit(job.id, {
      type: "admitted",
      cached: { ...cached, disk: 0, remote: 0 },
      queueMs: now - request.submittedAt,
      missCause: missCause(job),
    });
    return true;
  }

  #tryResume(sequence: Sequence, request: RunningRequest): boolean {
    if (this.#options.deterministic) this.#table.parkAllIdle(null);
    const needed = sequence.evaluated + outstandingCells(request, this.#options.outputReserve);
    return this.#fits(needed, sequence) && this.#table.restore(sequence);
  }

  /** Makes room for `needed` cells and a sequence number beside what running requests still need. */
  #fits(needed: number, base: Sequence | null): boolean {
    const { cells } = this.#table;
    const active = this.#pool.active();
    const promised = active.reduce(
      (sum, other) => sum + outstandingCells(other, this.#options.outputReserve),
      0,
    );
    // A base that is extended stays where it is.
    const kept = base !== null && base.owner === null && isResident(base) ? base.evaluated : 0;
    const free = cells.free + Math.max(0, this.#table.reclaimable() - kept);
    // With nothing running it must be tried: there is nobody to wait for.
    if (active.length > 0 && promised + needed > free) return false;
    const target = Math.min(promised + needed, cells.size);
    while (cells.free < target || this.#table.freeSlots === 0) {
      if (!this.#table.parkIdle(base)) break;
    }
    return this.#table.freeSlots > 0;
  }
}

function missCause(job: Job): string | null {
  if (!job.useCache) return "reuse_off";
  return job.baseMissed ? "base_evicted" : null;
}
