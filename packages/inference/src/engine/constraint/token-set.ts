/** Sets of token ids as masks: id `i` at bit `i & 31` of word `i >> 5`. */
export function tokenSet(ids: Iterable<number>, tokens: number): Uint32Array {
  const words = new Uint32Array(Math.ceil(tokens / 32));
  for (const id of ids) {
    if (id >= 0 && id < tokens) words[id >> 5] = (words[id >> 5] ?? 0) | (1 << (id & 31));
  }
  return words;
}

export function hasToken(set: Uint32Array, id: number): boolean {
  return (((set[id >> 5] ?? 0) >>> (id & 31)) & 1) === 1;
}

export function removeToken(set: Uint32Array, id: number): void {
  set[id >> 5] = (set[id >> 5] ?? 0) & ~(1 << (id & 31));
}

export function removeAll(set: Uint32Array, other: Uint32Array): void {
  for (let index = 0; index < set.length; index += 1) {
    set[index] = (set[index] ?? 0) & ~(other[index] ?? 0);
  }
}

export function intersects(left: Uint32Array, right: Uint32Array): boolean {
  return left.some((word, index) => (word & (right[index] ?? 0)) !== 0);
}

/** Whether `set` has a token that `other` has not. */
export function exceeds(set: Uint32Array, other: Uint32Array): boolean {
  return set.some((word, index) => (word & ~(other[index] ?? 0)) !== 0);
}

/** The ids in a set, in order; costs its words and what it holds. */
export function tokensIn(set: Uint32Array): number[] {
  const ids: number[] = [];
  set.forEach((word, index) => {
    for (let rest = word; rest !== 0; rest &= rest - 1) ids.push(index * 32 + 31 - Math.clz32(rest & -rest));
  });
  return ids;
}
