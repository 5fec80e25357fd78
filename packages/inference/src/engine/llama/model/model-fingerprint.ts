import { createHash } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { Hash } from "../../../port/prefix.ts";

const sampleBytes = 1 << 20;
const samples = 16;

/**
 * The identity of a model file: SHA-256, cut to 128 bits, over its size and 16 samples of 1 MiB spread evenly
 * from its first byte to its last. A whole read would take minutes for large models at every start.
 */
export function modelFingerprint(path: string): Hash {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    const hash = createHash("sha256").update(`slipstream/model/1\0${size}\0`);
    const buffer = Buffer.alloc(Math.min(sampleBytes, size));
    const last = size - buffer.length;
    for (let index = 0; index < samples; index += 1) {
      const read = readSync(file, buffer, 0, buffer.length, Math.floor((last * index) / (samples - 1)));
      hash.update(buffer.subarray(0, read));
    }
    return hash.digest("hex").slice(0, 32);
  } finally {
    closeSync(file);
  }
}

/** A 128-bit hash over the parts that make up an identity. */
export function identityHash(...parts: readonly (string | Uint8Array)[]): Hash {
  const hash = createHash("sha256");
  for (const part of parts) {
    const bytes = typeof part === "string" ? Buffer.from(part) : part;
    hash.update(`${bytes.length}\0`).update(bytes);
  }
  return hash.digest("hex").slice(0, 32);
}
