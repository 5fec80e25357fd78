import type { Hash } from "../../port/prefix.ts";

/** Remembers, for a bounded number of hashes, why something that was held no longer is. */
export class LostBlocks {
  readonly #causes = new Map<Hash, string>();
  readonly #limit: number;

  constructor(limit = 16_384) {
    this.#limit = limit;
  }

  add(hash: Hash, cause: string): void {
    this.#causes.delete(hash);
    this.#causes.set(hash, cause);
    const oldest = this.#causes.size > this.#limit ? this.#causes.keys().next() : undefined;
    if (oldest?.value !== undefined) this.#causes.delete(oldest.value);
  }

  cause(hash: Hash): string | null {
    return this.#causes.get(hash) ?? null;
  }
}
