/** A seeded source of chance: equal seeds give equal sequences. */
export interface SeededRandom {
  /** A number in [0, 1). */
  next(): number;
  /** A whole number in [0, count). */
  below(count: number): number;
  /** One of the choices. Throws `RangeError` when there is none. */
  pick<Choice>(choices: readonly Choice[]): Choice;
  /** True with the given probability. */
  chance(probability: number): boolean;
}

/** Mulberry32 (Tommy Ettinger, public domain): 32 bits of state, good enough for test data. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  const below = (count: number) => Math.floor(next() * count);
  return {
    next,
    below,
    pick(choices) {
      if (choices.length === 0) throw new RangeError("There is nothing to pick from.");
      return choices[below(choices.length)] as (typeof choices)[number];
    },
    chance: (probability) => next() < probability,
  };
}
