import type { PrefixRef } from "../../../port/prefix.ts";
import type { Sequence } from "../sequences/sequence.ts";
import type { SequenceTable } from "../sequences/sequence-table.ts";
import type { Leases } from "./leases.ts";
import type { LoopPorts } from "./loop-options.ts";
import type { RequestPool } from "./request-pool.ts";
import type { RunningRequest } from "./running-request.ts";

export type EndReason = "stop" | "length" | "cancelled";
export type FailureCode = "out_of_kv" | "engine_failed" | "invalid_request";

/** Ends requests: says so once, and leaves what was evaluated to later ones. */
export class RequestEnder {
  readonly #pool: RequestPool;
  readonly #table: SequenceTable;
  readonly #leases: Leases;
  readonly #ports: LoopPorts;

  constructor(pool: RequestPool, table: SequenceTable, leases: Leases, ports: LoopPorts) {
    this.#pool = pool;
    this.#table = table;
    this.#leases = leases;
    this.#ports = ports;
  }

  /** `keep` sampled ids belong to the output; what lies behind them is forgotten. */
  end(request: RunningRequest, reason: EndReason, rule: number | null, keep: number): void {
    const held = this.#leave(request, request.job.prompt.length + keep);
    if (!request.detached) this.#emitEnd(request, reason, rule, keep, held);
  }

  fail(request: RunningRequest, code: FailureCode, message: string): void {
    this.#leave(request, request.job.prompt.length);
    if (request.detached) return;
    const { evaluated } = request;
    const retryable = code === "out_of_kv";
    this.#ports.emit(request.job.id, { type: "error", code, message, retryable, evaluated });
  }

  endCancelled(): void {
    for (const request of this.#pool.all()) {
      if (!request.cancelled || request.detached) continue;
      const { sequence } = request;
      const outlives = this.#prefillOutlives(request);
      if (sequence === null) {
        // It has not begun, and begins only where its prefill was asked to go on.
        this.#emitCancelled(request);
        if (!outlives) this.#leave(request, 0);
      } else if (outlives) {
        const held = sequence.evaluated > 0 ? sequence.tokens.ref(sequence.evaluated) : null;
        this.#emitEnd(request, "cancelled", null, 0, held);
      } else {
        this.end(request, "cancelled", null, request.sampled);
      }
      request.detached = outlives;
    }
  }

  /** Prefill that others wait for, or that was asked to go on, outlives its client. */
  #prefillOutlives(request: RunningRequest): boolean {
    if (request.sampled > 0 || !request.job.useCache) return false;
    if (request.job.outliveClient) return true;
    const { sequence } = request;
    if (sequence === null) return false;
    return this.#pool
      .all()
      .some(({ waitingFor, cancelled }) => waitingFor?.match.sequence === sequence && !cancelled);
  }

  #leave(request: RunningRequest, length: number): PrefixRef | null {
    this.#pool.remove(request);
    request.session?.close();
    const { sequence, job } = request;
    if (sequence === null) return null;
    if (!job.useCache) {
      this.#table.drop(sequence);
      return null;
    }
    if (job.retain !== null) {
      sequence.retain = {
        priority: job.retain.priority,
        until: this.#ports.now() + job.retain.seconds * 1_000,
      };
    }
    const held = this.#table.release(sequence, length);
    if (held === null) return null;
    this.#settleOrLease(request, sequence);
    if (!job.gated) this.#table.absorb(sequence);
    return held;
  }

  #settleOrLease({ job, settlement, released, detached }: RunningRequest, sequence: Sequence): void {
    this.#leases.grant(job, sequence, this.#ports.now());
    if (settlement !== null) this.#leases.settle(job.id, settlement.keep);
    else if (released || detached) this.#leases.release(job.id);
  }

  #emitCancelled({ job }: RunningRequest): void {
    const message = "The request was cancelled before it began.";
    this.#ports.emit(job.id, { type: "error", code: "cancelled", message, retryable: false, evaluated: 0 });
  }

  #emitEnd(
    request: RunningRequest,
    reason: EndReason,
    rule: number | null,
    keep: number,
    held: PrefixRef | null,
  ): void {
    const { submittedAt, admittedAt, prefilledAt, evaluated, job } = request;
    const now = this.#ports.now();
    const admitted = request.sequence === null ? now : admittedAt;
    const prefilled = prefilledAt === 0 ? now : prefilledAt;
    const ms = { queue: admitted - submittedAt, prefill: prefilled - admitted, decode: now - prefilled };
    this.#ports.emit(job.id, { type: "end", reason, rule, keep, held, evaluated, ms });
  }
}
