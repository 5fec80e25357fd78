/** A set of code points: ranges, inclusive, in order, apart from each other. */
export type CharacterSet = readonly (readonly [from: number, to: number])[];

const last = 0x10ffff;

/** A set from ranges in any order. */
export function characterSet(ranges: CharacterSet): CharacterSet {
  const merged: [number, number][] = [];
  for (const [from, to] of [...ranges].sort(([left], [right]) => left - right)) {
    const before = merged.at(-1);
    if (before !== undefined && from <= before[1] + 1) before[1] = Math.max(before[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

/** All code points that are not in the set. */
export function complement(set: CharacterSet): CharacterSet {
  const gaps: [number, number][] = [];
  let next = 0;
  for (const [from, to] of set) {
    if (from > next) gaps.push([next, from - 1]);
    next = to + 1;
  }
  if (next <= last) gaps.push([next, last]);
  return gaps;
}

/** `set` without what is in `other`. */
export function without(set: CharacterSet, other: CharacterSet): CharacterSet {
  return complement(characterSet([...complement(set), ...other]));
}

/** What both sets have. */
export function common(left: CharacterSet, right: CharacterSet): CharacterSet {
  return without(left, complement(right));
}

export function sizeOf(set: CharacterSet): number {
  return set.reduce((sum, [from, to]) => sum + to - from + 1, 0);
}

/** The code points of a small set. */
export function members(set: CharacterSet): number[] {
  return set.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, index) => from + index));
}

/** An ASCII set as the inside of a character class. */
export function classBody(set: CharacterSet): string {
  const written = (point: number) => `\\x${point.toString(16).padStart(2, "0")}`;
  return set.map(([from, to]) => written(from) + (from === to ? "" : `-${written(to)}`)).join("");
}

/** Digits, word characters, white space and line ends as ECMAScript has them. */
export const namedSets = {
  d: [[0x30, 0x39]],
  w: [
    [0x30, 0x39],
    [0x41, 0x5a],
    [0x5f, 0x5f],
    [0x61, 0x7a],
  ],
  s: [
    [0x09, 0x0d],
    [0x20, 0x20],
    [0xa0, 0xa0],
    [0x1680, 0x1680],
    [0x2000, 0x200a],
    [0x2028, 0x2029],
    [0x202f, 0x202f],
    [0x205f, 0x205f],
    [0x3000, 0x3000],
    [0xfeff, 0xfeff],
  ],
  lineEnd: [
    [0x0a, 0x0a],
    [0x0d, 0x0d],
    [0x2028, 0x2029],
  ],
} as const satisfies Record<string, CharacterSet>;
