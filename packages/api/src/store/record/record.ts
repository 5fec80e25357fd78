import type { Hash, PrefixRef, Scope } from "@slipstream-stack/inference";
import type { ResponseWrite, SampledOutput, StoredMark } from "../store.ts";

/** A response as it travels to the thread that writes it: contents are JSON text, so that crossing costs one copy. */
export interface ResponseRecord {
  readonly scope: Scope;
  readonly id: string;
  readonly parent: string | null;
  readonly chain: string;
  readonly depth: number;
  readonly inputCount: number;
  readonly items: string;
  readonly sampled: SampledOutput | null;
  readonly marks: readonly StoredMark[];
  readonly tokenizer: Hash;
  readonly fingerprint: Hash;
  readonly head: Hash;
  readonly settings: Hash;
  readonly tip: PrefixRef;
  readonly body: string;
  readonly lap: string;
  readonly expiresAt: number | null;
  /** Contents of head and settings, those left out that the sender believes stored. */
  readonly blobs: ReadonlyMap<Hash, Uint8Array>;
}

/** A view as bytes of its own: crossing threads copies the whole buffer behind a view, however large. */
function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : Uint8Array.from(bytes);
}

/**
 * The record of a write, with the blobs that `isStored` does not claim to be there. Later changes of the write
 * do not reach it.
 */
export function recordOf(write: ResponseWrite, isStored: (hash: Hash) => boolean): ResponseRecord {
  const blobs = new Map<Hash, Uint8Array>();
  for (const hash of [write.head, write.settings]) {
    const content = write.blobs.get(hash);
    if (content !== undefined && !isStored(hash)) blobs.set(hash, ownBytes(content));
  }
  const { scope, id, parent, chain, depth, inputCount, marks, expiresAt } = write;
  const { tokenizer, fingerprint, head, settings, tip } = write;
  return {
    scope,
    id,
    parent,
    chain,
    depth,
    inputCount,
    sampled: write.sampled && { ...write.sampled, ids: write.sampled.ids.slice() },
    marks,
    expiresAt,
    tokenizer,
    fingerprint,
    head,
    settings,
    tip,
    items: JSON.stringify(write.items),
    body: JSON.stringify(write.body),
    lap: JSON.stringify(write.lap),
    blobs,
  };
}

/** A stored node as it travels back; the contents of heads and settings stand once beside all nodes. */
export type NodeRecord = Omit<ResponseRecord, "blobs" | "lap" | "expiresAt"> & { readonly deleted: boolean };

export interface ChainRecord {
  readonly nodes: readonly NodeRecord[];
  readonly blobs: ReadonlyMap<Hash, Uint8Array>;
}

export interface ReadRecord {
  readonly id: string;
  readonly parent: string | null;
  readonly body: string;
  readonly items: string;
  readonly inputCount: number;
  readonly settings: Uint8Array;
}
