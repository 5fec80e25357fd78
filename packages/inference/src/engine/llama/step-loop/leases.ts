import type { PrefixRef } from "../../../port/prefix.ts";
import { isResident, type Sequence } from "../sequences/sequence.ts";
import type { SequenceTable } from "../sequences/sequence-table.ts";
import type { Job } from "./job.ts";

interface Lease {
  readonly sequence: Sequence;
  readonly tenancy: number;
  readonly promptLength: number;
  readonly gated: boolean;
  readonly until: number;
}

/**
 * The say that an ended request keeps over what it left behind, until it is settled or the time is over. The
 * output of a gated one is seen by nobody before it is accepted; unsettled in time it counts as refused.
 */
export class Leases {
  readonly #table: SequenceTable;
  readonly #leaseMs: number;
  readonly #leases = new Map<string, Lease>();

  constructor(table: SequenceTable, leaseMs: number) {
    this.#table = table;
    this.#leaseMs = leaseMs;
  }

  get size(): number {
    return this.#leases.size;
  }

  grant(job: Job, sequence: Sequence, now: number): void {
    const promptLength = job.prompt.length;
    const { tenancy } = sequence;
    this.#leases.set(job.id, {
      sequence,
      tenancy,
      promptLength,
      gated: job.gated,
      until: now + this.#leaseMs,
    });
  }

  /** Takes effect once; a `keep` that is no prefix of what is held counts as refused. */
  settle(id: string, keep: PrefixRef | null): void {
    const lease = this.#take(id);
    if (lease === null) return;
    const { sequence } = lease;
    if (keep === null || !sequence.tokens.holds(keep)) {
      this.#refuse(lease);
      return;
    }
    if (lease.gated) sequence.visible = Number.MAX_SAFE_INTEGER;
    this.#cut(sequence, keep.length);
    this.#table.advance(sequence);
    this.#table.absorb(sequence);
  }

  /** Gives the say up: what was not gated stays held, of the rest only the prompt. */
  release(id: string): void {
    const lease = this.#take(id);
    if (lease?.gated === true) this.#refuse(lease);
  }

  expire(now: number): void {
    for (const [id, { until }] of this.#leases) {
      // Granted in order of time, so that the first one still valid ends the search.
      if (until > now) return;
      this.release(id);
    }
  }

  #take(id: string): Lease | null {
    const lease = this.#leases.get(id) ?? null;
    this.#leases.delete(id);
    // Another request may go on from it already; then it was accepted or shared before.
    return lease?.sequence.tenancy === lease?.tenancy ? lease : null;
  }

  /** Refused output is dropped; the prompt stays, it was the client's own. */
  #refuse({ sequence, promptLength }: Lease): void {
    if (isResident(sequence) && sequence.evaluated > promptLength) this.#cut(sequence, promptLength);
    else this.#table.drop(sequence);
  }

  #cut(sequence: Sequence, length: number): void {
    if (isResident(sequence)) this.#table.truncate(sequence, Math.min(length, sequence.evaluated));
    else sequence.visible = Math.min(sequence.visible, length);
  }
}
