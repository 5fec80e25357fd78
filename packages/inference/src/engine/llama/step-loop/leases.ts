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

  settle(id: string, keep: PrefixRef | null): void {
    const lease = this.#leases.get(id);
    if (lease === undefined) return;
    this.#leases.delete(id);
    // Another request already goes on from it, so that it was accepted or shared before.
    if (lease.sequence.tenancy !== lease.tenancy) return;
    if (keep === null) {
      this.#refuse(lease);
      return;
    }
    if (lease.gated) lease.sequence.visible = Number.MAX_SAFE_INTEGER;
    this.#cut(lease.sequence, keep.length);
    this.#table.advance(lease.sequence);
    this.#table.absorb(lease.sequence);
  }

  expire(now: number): void {
    for (const [id, lease] of this.#leases) {
      // Granted in order of time, so that the first one still valid ends the search.
      if (lease.until > now) return;
      this.settle(id, lease.gated ? null : lease.sequence.tokens.ref(lease.sequence.evaluated));
    }
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
