import type { KvEvent } from "../../../port/kv-event.ts";
import type { Hash } from "../../../port/prefix.ts";
import type { WireBlockChange } from "../../wire/messages.ts";

type HeldTier = "hot" | "ram";

const mostUnread = 10_000;

/** One listener. It gets a snapshot first, and again when it fell behind. */
class KvListener {
  #events: KvEvent[] = [];
  #wake: (() => void) | null = null;
  #closed = false;
  behind = false;

  push(event: KvEvent): void {
    if (this.#events.length >= mostUnread) {
      this.#events = [];
      this.behind = true;
    }
    if (!this.behind) this.#events.push(event);
    this.#wake?.();
  }

  close(): void {
    this.#closed = true;
    this.#wake?.();
  }

  async *read(snapshot: () => KvEvent[]): AsyncGenerator<KvEvent, void> {
    for (;;) {
      if (this.behind) {
        this.behind = false;
        this.#events = [];
        yield* snapshot();
        // It may have fallen behind again meanwhile.
        continue;
      }
      const event = this.#events.shift();
      if (event !== undefined) yield event;
      else if (this.#closed) return;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        this.#wake = null;
      }
    }
  }
}

/** The engine's cache as its events tell it: numbers them, and serves them to any number of listeners. */
export class KvMirror {
  readonly #tiers: Record<HeldTier, Map<Hash, Hash>> = { hot: new Map(), ram: new Map() };
  readonly #listeners = new Set<KvListener>();
  #epoch: string;
  #seq = 0n;
  #closed = false;

  constructor(epoch: string) {
    this.#epoch = epoch;
  }

  /** True if a block lies in any tier. */
  has(hash: Hash): boolean {
    return this.#tiers.hot.has(hash) || this.#tiers.ram.has(hash);
  }

  apply(changes: readonly WireBlockChange[]): void {
    for (const change of changes) {
      const blocks = this.#tiers[change.tier];
      let parent = change.type === "stored" ? change.parent : "";
      for (const block of change.blocks) {
        if (change.type === "stored") blocks.set(block, parent);
        else blocks.delete(block);
        parent = block;
      }
      this.#publish(
        change.type === "stored"
          ? { type: "stored", parent: change.parent, blocks: change.blocks, tier: change.tier }
          : { type: "removed", blocks: change.blocks, tier: change.tier },
      );
    }
  }

  /** A new incarnation holds nothing. */
  restart(epoch: string): void {
    this.#epoch = epoch;
    this.#seq = 0n;
    for (const tier of ["hot", "ram"] as const) {
      this.#tiers[tier].clear();
      this.#publish({ type: "cleared", tier });
    }
  }

  /** Events after `from`; where that is not the present state, a snapshot that begins with `cleared`. */
  async *listen(from: { epoch: string; seq: bigint } | null): AsyncGenerator<KvEvent, void> {
    const listener = new KvListener();
    listener.behind = from === null || from.epoch !== this.#epoch || from.seq !== this.#seq;
    if (this.#closed) listener.close();
    this.#listeners.add(listener);
    try {
      yield* listener.read(() => this.#snapshot());
    } finally {
      this.#listeners.delete(listener);
    }
  }

  close(): void {
    this.#closed = true;
    for (const listener of this.#listeners) listener.close();
  }

  #snapshot(): KvEvent[] {
    const stamp = { epoch: this.#epoch, seq: this.#seq };
    const events: KvEvent[] = [];
    for (const tier of ["hot", "ram"] as const) {
      events.push({ ...stamp, tier, type: "cleared" });
      for (const [block, parent] of this.#tiers[tier]) {
        events.push({ ...stamp, tier, type: "stored", parent, blocks: [block] });
      }
    }
    return events;
  }

  #publish(
    change:
      | { type: "stored"; tier: HeldTier; parent: Hash; blocks: readonly Hash[] }
      | { type: "removed"; tier: HeldTier; blocks: readonly Hash[] }
      | { type: "cleared"; tier: HeldTier },
  ): void {
    this.#seq += 1n;
    const event: KvEvent = { epoch: this.#epoch, seq: this.#seq, ...change };
    for (const listener of this.#listeners) listener.push(event);
  }
}
