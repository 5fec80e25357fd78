import type { KvEvent } from "../port/kv-event.ts";
import type { Hash } from "../port/prefix.ts";
import type { Tier } from "../port/tier.ts";

/** A block that is held now, parents before children. */
export interface HeldBlock {
  readonly tier: Tier;
  readonly parent: Hash;
  readonly hash: Hash;
}

type KvEventBody = Pick<KvEvent, "tier"> &
  (
    | { readonly type: "stored"; readonly parent: Hash | null; readonly blocks: readonly Hash[] }
    | { readonly type: "removed"; readonly blocks: readonly Hash[] }
    | { readonly type: "cleared" }
  );

/**
 * The sequenced cache events of one engine: a bounded log that any number of listeners read at their own
 * pace. A listener that is new, of another epoch or too far behind is given `cleared` and what is held now.
 */
export class KvEventLog {
  readonly #limit: number;
  readonly #held: () => Iterable<HeldBlock>;
  #epoch: string;
  #events: KvEvent[] = [];
  #lastSeq = 0n;
  #closed = false;
  #wake = Promise.withResolvers<void>();

  /** `limit`: events kept. `held`: what a listener that starts over must hear. */
  constructor(epoch: string, limit: number, held: () => Iterable<HeldBlock>) {
    this.#epoch = epoch;
    this.#limit = limit;
    this.#held = held;
  }

  append(body: KvEventBody): void {
    this.#lastSeq += 1n;
    this.#events.push({ ...body, epoch: this.#epoch, seq: this.#lastSeq });
    if (this.#events.length > this.#limit * 2) this.#events = this.#events.slice(-this.#limit);
    this.#notify();
  }

  /** Begins another incarnation, which holds nothing. */
  restart(epoch: string): void {
    this.#epoch = epoch;
    this.#events = [];
    this.#lastSeq = 0n;
    this.append({ type: "cleared", tier: "hot" });
  }

  close(): void {
    this.#closed = true;
    this.#notify();
  }

  /** Events after `from`, without end until `close`. */
  async *read(from: { readonly epoch: string; readonly seq: bigint } | null): AsyncGenerator<KvEvent> {
    let position = from;
    for (;;) {
      const wake = this.#wake.promise;
      for (const event of this.#after(position)) {
        position = { epoch: event.epoch, seq: event.seq };
        yield event;
      }
      if (wake !== this.#wake.promise) continue;
      if (this.#closed) return;
      await wake;
    }
  }

  #after(position: { readonly epoch: string; readonly seq: bigint } | null): KvEvent[] {
    const known = position !== null && position.epoch === this.#epoch && position.seq <= this.#lastSeq;
    if (!known) return this.#snapshot();
    const missing = Number(this.#lastSeq - position.seq);
    return missing > this.#events.length
      ? this.#snapshot()
      : this.#events.slice(this.#events.length - missing);
  }

  /** What is held now as a history that ends at the last number. */
  #snapshot(): KvEvent[] {
    const bodies: KvEventBody[] = [{ type: "cleared", tier: "hot" }];
    for (const block of this.#held()) {
      bodies.push({ type: "stored", tier: block.tier, parent: block.parent, blocks: [block.hash] });
    }
    const first = this.#lastSeq - BigInt(bodies.length - 1);
    return bodies.map((body, index) => ({ ...body, epoch: this.#epoch, seq: first + BigInt(index) }));
  }

  #notify(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }
}
