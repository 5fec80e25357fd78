import { hashBlockSize, linkHash } from "../../../kv/prefix-hash.ts";
import type { Hash, PrefixRef } from "../../../port/prefix.ts";

/** A growing list of token ids that knows the identity of each of its prefixes. */
export class TokenLog {
  readonly root: Hash;
  #ids: Uint32Array;
  #length = 0;
  #blocks: Hash[] = [];

  constructor(root: Hash, ids: Uint32Array) {
    this.root = root;
    this.#ids = new Uint32Array(Math.max(64, ids.length));
    this.append(ids);
  }

  get length(): number {
    return this.#length;
  }

  at(index: number): number {
    const id = this.#ids[index];
    if (id === undefined || index >= this.#length) throw new Error(`no token at ${index}`);
    return id;
  }

  /** A view, valid until the next change. */
  view(from: number, to: number): Uint32Array {
    return this.#ids.subarray(from, Math.min(to, this.#length));
  }

  append(ids: Uint32Array): void {
    const length = this.#length + ids.length;
    if (length > this.#ids.length) {
      const grown = new Uint32Array(Math.max(length, this.#ids.length * 2));
      grown.set(this.#ids.subarray(0, this.#length));
      this.#ids = grown;
    }
    this.#ids.set(ids, this.#length);
    this.#length = length;
    while ((this.#blocks.length + 1) * hashBlockSize <= length) {
      const start = this.#blocks.length * hashBlockSize;
      this.#blocks.push(
        linkHash(this.blockHash(this.#blocks.length), this.view(start, start + hashBlockSize)),
      );
    }
  }

  truncate(length: number): void {
    this.#length = Math.min(length, this.#length);
    this.#blocks.length = Math.floor(this.#length / hashBlockSize);
  }

  /** A log of its own with the first `length` tokens; hashes nothing. */
  fork(length: number): TokenLog {
    const copy = new TokenLog(this.root, new Uint32Array(0));
    copy.#ids = this.#ids.slice(0, Math.max(64, length));
    copy.#length = Math.min(length, this.#length);
    copy.#blocks = this.#blocks.slice(0, Math.floor(copy.#length / hashBlockSize));
    return copy;
  }

  /** Hash after the first `count` whole blocks; the root for none. */
  blockHash(count: number): Hash {
    return count === 0 ? this.root : (this.#blocks[count - 1] ?? this.root);
  }

  /** Identity of the first `length` tokens. */
  ref(length: number): PrefixRef {
    const blocks = Math.floor(length / hashBlockSize);
    const chain = this.blockHash(blocks);
    const tail = this.view(blocks * hashBlockSize, length);
    return { hash: tail.length === 0 ? chain : linkHash(chain, tail), length };
  }

  holds(ref: PrefixRef): boolean {
    return ref.length <= this.#length && this.ref(ref.length).hash === ref.hash;
  }

  /** How many leading tokens equal those of `ids`; whole blocks that hash alike need no second look. */
  common(ids: Uint32Array): number {
    const most = Math.min(this.#length, ids.length);
    let index = 0;
    while (index < most && this.#ids[index] === ids[index]) index += 1;
    return index;
  }
}
