import { hashBlockSize, PrefixHasher } from "../../kv/prefix-hash.ts";
import type { PrefixRef } from "../../port/prefix.ts";
import type { Tier } from "../../port/tier.ts";
import type { EngineRequest } from "../../port/token-engine.ts";
import type { HeldMatch, HeldNode } from "./held-node.ts";
import type { HeldTree } from "./held-tree.ts";

/**
 * The held state of one request: a leased path of the tree down to a block border, and private tokens past it
 * that nobody else stands on yet. `position` counts evaluated tokens from the beginning.
 */
export class HeldSequence {
  readonly #tree: HeldTree;
  readonly #request: EngineRequest;
  readonly #sampled: number[] = [];
  readonly #own = new Set<HeldNode>();
  #border: HeldNode | null = null;
  /** What a refusal goes back to. */
  #baseLength = 0;
  position = 0;

  constructor(tree: HeldTree, request: EngineRequest) {
    this.#tree = tree;
    this.#request = request;
  }

  /** Prompt and sampled tokens together. */
  get length(): number {
    return this.#request.prompt.length + this.#sampled.length;
  }

  get sampled(): readonly number[] {
    return this.#sampled;
  }

  get border(): HeldNode | null {
    return this.#border;
  }

  /** Tokens that occupy room outside the tree. */
  get privateTokens(): number {
    return Math.max(0, this.position - (this.#border?.length ?? 0));
  }

  push(id: number): void {
    this.#sampled.push(id);
  }

  /** A copy of the tokens `[from, to)`. */
  slice(from: number, to: number): Uint32Array {
    const { prompt } = this.#request;
    const ids = new Uint32Array(Math.max(0, to - from));
    if (from < prompt.length) ids.set(prompt.slice(from, Math.min(to, prompt.length)));
    for (let index = Math.max(from, prompt.length); index < to; index++) {
      ids[index - from] = this.#sampled[index - prompt.length] ?? 0;
    }
    return ids;
  }

  /** Stands on what is held: the last token is always evaluated anew. Returns the cached tokens by tier. */
  begin(match: HeldMatch, length: number, now: number): Record<Tier, number> {
    const { border, partial } = match;
    const borderLength = border?.length ?? 0;
    const cached = { hot: 0, ram: 0, disk: 0, remote: 0 };
    for (let at = border; at !== null && at.tier === "ram"; at = at.parent) {
      cached.ram += at.ids.length;
    }
    if (partial?.tier === "ram") cached.ram += Math.max(0, length - borderLength);
    cached.hot = length - cached.ram;
    this.#tree.lease(border);
    this.#tree.promote(border);
    this.#tree.touch(border, now);
    this.#border = border;
    this.#baseLength = borderLength;
    this.position = length;
    const wholeTail = partial !== null && partial.length === length && partial.ids.length < hashBlockSize;
    if (wholeTail && partial.leases === 0 && partial.children.size === 0) {
      this.#tree.take(partial);
      this.#baseLength = length;
    }
    return cached;
  }

  /** Counts `rows` evaluated tokens, and shares the whole blocks of the prompt they complete. */
  advance(rows: number, share: boolean, now: number): void {
    this.position += rows;
    if (!share) return;
    const shareable = Math.min(this.position, this.#request.prompt.length);
    const from = this.#border?.length ?? 0;
    const whole = from + Math.floor((shareable - from) / hashBlockSize) * hashBlockSize;
    if (whole > from) this.#insert(whole, now);
  }

  /** Gives its room up; the first `share` tokens stay held as long as there is room. */
  park(share: number, now: number): void {
    const kept = Math.min(share, this.position);
    if (kept > (this.#border?.length ?? 0)) this.#insert(kept, now);
    this.#leave();
    this.position = 0;
  }

  /** Cuts to `length` tokens and names the result. With `share` others may use it from now on. */
  finish(length: number, share: boolean, now: number): PrefixRef | null {
    this.position = Math.min(length, this.position);
    if (this.position === 0) {
      this.#leave();
      return null;
    }
    const held = this.refAt(this.position);
    if (share) this.#insert(this.position, now);
    return held;
  }

  /** Ends the lease and keeps `[0, length)`, never less than what the request found when it came. */
  settle(length: number, now: number): void {
    const keep = Math.max(length, this.#baseLength);
    const target = Math.min(keep, this.position);
    if (target > (this.#border?.length ?? 0)) this.#insert(target, now);
    const tip = this.#border;
    this.#leave();
    this.position = 0;
    this.#tree.truncate(tip, keep, this.#own, now);
    this.#own.clear();
  }

  /** Wishes of the request for how long its path should be kept. */
  retain(priority: number, until: number): void {
    if (this.#border !== null) this.#border.retain = { priority, until };
  }

  /** Identity of the first `length` tokens; costs less than two blocks. */
  refAt(length: number): PrefixRef {
    let border = this.#border;
    while (border !== null && (border.length > length || border.length % hashBlockSize !== 0))
      border = border.parent;
    const start: PrefixRef = border ?? { hash: this.#request.prompt.root, length: 0 };
    return PrefixHasher.resume(start).extend(this.slice(start.length, length)).hasher.ref();
  }

  #leave(): void {
    this.#tree.release(this.#border);
    this.#border = null;
  }

  #insert(to: number, now: number): void {
    const from = this.#border;
    const { prompt } = this.#request;
    const { node, created } = this.#tree.insert(prompt.root, from, this.slice(from?.length ?? 0, to), now);
    for (const step of created) this.#own.add(step);
    this.#tree.lease(node);
    this.#tree.release(from);
    this.#border = node;
  }
}
