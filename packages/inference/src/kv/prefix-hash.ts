import { createHash } from "node:crypto";
import type { Hash, PrefixRef, Scope } from "../port/prefix.ts";

/** Tokens per block of the hash chain. Small, so that heads shared by different sessions match closely. */
export const hashBlockSize = 64;

/** Counts tokens hashed, so that a test can hold work per lap against the delta. */
export const hashCounters = { tokens: 0 };

/** The root of a scope's hash chain: a hash of its secret salt. */
export function scopeRoot(salt: Uint8Array, scope: Scope): Hash {
  return createHash("sha256")
    .update("slipstream/prefix/1\0")
    .update(salt)
    .update(scope)
    .digest("hex")
    .slice(0, 32);
}

/** One link of the chain: the hash of a block (or of the tail, when shorter) under what came before it. */
export function linkHash(before: Hash, ids: Uint32Array): Hash {
  hashCounters.tokens += ids.length;
  return createHash("sha256")
    .update(before)
    .update(new Uint8Array(ids.buffer, ids.byteOffset, ids.byteLength))
    .digest("hex")
    .slice(0, 32);
}

/**
 * The running identity of a growing token sequence, independent of how it was cut into segments: the hash of
 * the whole blocks so far, and the tail that does not fill one. Immutable; `extend` costs the new tokens plus
 * at most one block.
 */
export class PrefixHasher {
  readonly #chain: Hash;
  readonly #tail: Uint32Array;
  readonly length: number;

  private constructor(chain: Hash, tail: Uint32Array, length: number) {
    this.#chain = chain;
    this.#tail = tail;
    this.length = length;
  }

  static at(root: Hash): PrefixHasher {
    return new PrefixHasher(root, new Uint32Array(0), 0);
  }

  /** The hasher at a block border whose identity is known. Throws `RangeError` where `border` is none. */
  static resume(border: PrefixRef): PrefixHasher {
    if (border.length % hashBlockSize !== 0) throw new RangeError(`${border.length} is no block border.`);
    return new PrefixHasher(border.hash, new Uint32Array(0), border.length);
  }

  /** The hasher after `ids`, and the identity of each block border it passed. */
  extend(ids: Uint32Array): { hasher: PrefixHasher; blocks: PrefixRef[] } {
    const joined = new Uint32Array(this.#tail.length + ids.length);
    joined.set(this.#tail);
    joined.set(ids, this.#tail.length);
    const blocks: PrefixRef[] = [];
    let chain = this.#chain;
    let offset = 0;
    const start = this.length - this.#tail.length;
    for (; offset + hashBlockSize <= joined.length; offset += hashBlockSize) {
      chain = linkHash(chain, joined.subarray(offset, offset + hashBlockSize));
      blocks.push({ hash: chain, length: start + offset + hashBlockSize });
    }
    return { hasher: new PrefixHasher(chain, joined.slice(offset), this.length + ids.length), blocks };
  }

  /** Identity of everything so far. */
  ref(): PrefixRef {
    const hash = this.#tail.length === 0 ? this.#chain : linkHash(this.#chain, this.#tail);
    return { hash, length: this.length };
  }
}
