/** Sets the logits of every token whose bit is 0 to -Infinity: bit `id & 31` of word `id >> 5`. */
export function maskLogits(logits: Float32Array, mask: Uint32Array): void {
  const { length } = logits;
  for (let word = 0; word * 32 < length; word += 1) {
    const bits = mask[word] ?? 0;
    if (bits === 0xffffffff) continue;
    const start = word * 32;
    const end = Math.min(start + 32, length);
    if (bits === 0) {
      logits.fill(-Infinity, start, end);
      continue;
    }
    for (let id = start; id < end; id += 1) {
      if (((bits >>> (id & 31)) & 1) === 0) logits[id] = -Infinity;
    }
  }
}
