/** A 32-bit seed from a text (FNV-1a). */
export function textSeed(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

/** A 32-bit number that depends on both arguments as if by chance (the finaliser of MurmurHash3). */
export function mix(seed: number, position: number): number {
  let value = (seed ^ Math.imul(position + 1, 0x9e3779b1)) >>> 0;
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
