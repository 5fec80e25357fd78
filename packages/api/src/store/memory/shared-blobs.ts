import type { Hash, Scope } from "@slipstream-stack/inference";
import { WireError } from "@slipstream-stack/protocol";

interface Blob {
  readonly content: Uint8Array;
  users: number;
}

/** Heads and settings in memory, each once per scope and as long as a response uses it. */
export class SharedBlobs {
  readonly #blobs = new Map<string, Blob>();
  #bytes = 0;

  /** Bytes of all contents held. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Counts one user more for each hash.
   * @returns the bytes that were not held before.
   * @throws WireError `server_error`, with nothing counted, when a content is neither held nor given.
   */
  use(scope: Scope, hashes: ReadonlySet<Hash>, given: ReadonlyMap<Hash, Uint8Array>): number {
    const blobs = Array.from(hashes, (hash) => {
      const key = `${scope}\0${hash}`;
      const content = given.get(hash);
      return { key, blob: this.#blobs.get(key) ?? (content && { content: content.slice(), users: 0 }) };
    });
    const known = blobs.filter((entry): entry is { key: string; blob: Blob } => entry.blob !== undefined);
    if (known.length < blobs.length) {
      throw new WireError("server_error", "The contents of the response's head or settings were not given.");
    }
    const before = this.#bytes;
    for (const { key, blob } of known) {
      if (blob.users === 0) this.#bytes += blob.content.length;
      blob.users += 1;
      this.#blobs.set(key, blob);
    }
    return this.#bytes - before;
  }

  /** Counts one user less for each hash; a content without users goes. */
  release(scope: Scope, hashes: ReadonlySet<Hash>): void {
    for (const hash of hashes) {
      const key = `${scope}\0${hash}`;
      const blob = this.#blobs.get(key);
      if (blob === undefined) continue;
      blob.users -= 1;
      if (blob.users > 0) continue;
      this.#blobs.delete(key);
      this.#bytes -= blob.content.length;
    }
  }

  /** A held content. */
  content(scope: Scope, hash: Hash): Uint8Array {
    return this.#blobs.get(`${scope}\0${hash}`)?.content ?? new Uint8Array(0);
  }

  clear(): void {
    this.#blobs.clear();
    this.#bytes = 0;
  }
}
