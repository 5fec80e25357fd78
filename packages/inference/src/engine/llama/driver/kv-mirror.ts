import { type HeldBlock, KvEventLog } from "../../../kv/kv-event-log.ts";
import type { KvEvent } from "../../../port/kv-event.ts";
import type { Hash } from "../../../port/prefix.ts";
import type { WireBlockChange } from "../../wire/messages.ts";

const tiers = ["hot", "ram"] as const;
const eventsKept = 10_000;

/** The engine's cache as its events tell it, block by block, and the numbered log of them for listeners. */
export class KvMirror {
  /** Of each block held in a tier, its parent. */
  readonly #held = { hot: new Map<Hash, Hash>(), ram: new Map<Hash, Hash>() };
  readonly #log: KvEventLog;

  constructor(epoch: string) {
    this.#log = new KvEventLog(epoch, eventsKept, () => this.#blocks());
  }

  /** True if a block lies in any tier. */
  has(hash: Hash): boolean {
    return this.#held.hot.has(hash) || this.#held.ram.has(hash);
  }

  apply(changes: readonly WireBlockChange[]): void {
    for (const change of changes) {
      const held = this.#held[change.tier];
      let parent = change.type === "stored" ? change.parent : "";
      for (const block of change.blocks) {
        if (change.type === "stored") held.set(block, parent);
        else held.delete(block);
        parent = block;
      }
      this.#log.append(change);
    }
  }

  /** A new incarnation holds nothing. */
  restart(epoch: string): void {
    for (const tier of tiers) this.#held[tier].clear();
    this.#log.restart(epoch);
  }

  /** Events after `from`, without end until `close`. */
  listen(from: { readonly epoch: string; readonly seq: bigint } | null): AsyncIterable<KvEvent> {
    return this.#log.read(from);
  }

  close(): void {
    this.#log.close();
  }

  *#blocks(): Iterable<HeldBlock> {
    for (const tier of tiers) {
      const held = this.#held[tier];
      const told = new Set<Hash>();
      // A parent that was stored again later stands behind its children: follow them up first.
      const tell = function* (hash: Hash): Iterable<HeldBlock> {
        const line: Hash[] = [];
        for (let at: Hash | undefined = hash; at !== undefined && held.has(at) && !told.has(at); ) {
          line.push(at);
          told.add(at);
          at = held.get(at);
        }
        for (const block of line.toReversed()) yield { tier, parent: held.get(block) ?? "", hash: block };
      };
      for (const hash of held.keys()) yield* tell(hash);
    }
  }
}
