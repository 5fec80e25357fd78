import { LRUCache } from "lru-cache";
import type { Hash, PrefixRef, RopeView } from "../../../port/prefix.ts";

const mostPrefixes = 16_384;
const mostNamed = 8;
const mostBoundaries = 1_024;

/** What the driver believes that the engine holds. A wrong belief costs one exchange, never a wrong result. */
export class BelievedPrefixes {
  readonly #ends = new LRUCache<Hash, true>({ max: mostPrefixes });
  readonly #blocks: { has(hash: Hash): boolean };

  constructor(blocks: { has(hash: Hash): boolean }) {
    this.#blocks = blocks;
  }

  add(ref: PrefixRef): void {
    this.#ends.set(ref.hash, true);
  }

  clear(): void {
    this.#ends.clear();
  }

  /** The deepest prefixes of a prompt that are believed held, deepest first. */
  of(prompt: RopeView): PrefixRef[] {
    const named: PrefixRef[] = [];
    let seen = 0;
    for (const ref of prompt.boundaries()) {
      seen += 1;
      if (named.length >= mostNamed || seen > mostBoundaries) break;
      const believed = this.#ends.has(ref.hash) || this.#blocks.has(ref.hash);
      if (believed && ref.length > 0 && ref.length <= prompt.length) named.push(ref);
    }
    return named.sort((a, b) => b.length - a.length);
  }
}
