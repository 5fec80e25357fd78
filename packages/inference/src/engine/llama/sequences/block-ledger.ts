import type { Hash } from "../../../port/prefix.ts";

/** A change of the cache, before the driver gives it an epoch and a number. */
export type BlockChange =
  | {
      readonly type: "stored";
      readonly tier: "hot" | "ram";
      readonly parent: Hash;
      readonly blocks: readonly Hash[];
    }
  | { readonly type: "removed"; readonly tier: "hot" | "ram"; readonly blocks: readonly Hash[] };

/** Counts the holders of each block per tier; the first stores it, the last removes it. */
export class BlockLedger {
  readonly #holders = { hot: new Map<Hash, number>(), ram: new Map<Hash, number>() };
  #changes: BlockChange[] = [];

  /** `blocks` follow each other, the first follows `parent`. */
  store(tier: "hot" | "ram", parent: Hash, blocks: readonly Hash[]): void {
    const holders = this.#holders[tier];
    let before = parent;
    let run: { parent: Hash; blocks: Hash[] } | null = null;
    for (const block of blocks) {
      const count = holders.get(block) ?? 0;
      holders.set(block, count + 1);
      if (count > 0) {
        run = null;
      } else if (run === null) {
        run = { parent: before, blocks: [block] };
        this.#changes.push({ type: "stored", tier, ...run });
      } else {
        run.blocks.push(block);
      }
      before = block;
    }
  }

  remove(tier: "hot" | "ram", blocks: readonly Hash[]): void {
    const holders = this.#holders[tier];
    const gone: Hash[] = [];
    for (const block of blocks) {
      const count = (holders.get(block) ?? 0) - 1;
      if (count > 0) {
        holders.set(block, count);
      } else if (holders.delete(block)) {
        gone.push(block);
      }
    }
    if (gone.length > 0) this.#changes.push({ type: "removed", tier, blocks: gone });
  }

  /** The changes since the last call. */
  take(): BlockChange[] {
    const changes = this.#changes;
    this.#changes = [];
    return changes;
  }
}
