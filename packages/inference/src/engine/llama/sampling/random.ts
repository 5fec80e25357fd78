/** A seeded source of numbers in [0, 1). */
export type RandomSource = () => number;

/** sfc32 (Chris Doty-Humphrey, PractRand), seeded by splitmix32 and warmed up: one stream per request. */
export function seededRandom(seed: number): RandomSource {
  const mix = splitMix(seed >>> 0, Math.floor(seed / 2 ** 32) >>> 0);
  let a = mix();
  let b = mix();
  let c = mix();
  let counter = 1;
  const next = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let round = 0; round < 12; round += 1) next();
  return next;
}

function splitMix(low: number, high: number): () => number {
  let state = (low ^ Math.imul(high, 0x85ebca6b)) | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return mixed ^ (mixed >>> 15);
  };
}
