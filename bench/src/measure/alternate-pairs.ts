/** Two ways to do the same thing; each call does it once and answers with its figure. */
export interface Sides<Figure> {
  readonly first: () => Promise<Figure>;
  readonly second: () => Promise<Figure>;
}

export interface PairedFigures<Figure> {
  readonly first: readonly Figure[];
  readonly second: readonly Figure[];
}

/**
 * Runs both sides in turn, and in turned order from pair to pair, so that a machine that slows down or speeds up
 * does so for both. Warm-up pairs run first and do not count. Never runs two at a time.
 */
export async function alternatePairs<Figure>(
  sides: Sides<Figure>,
  pairs: number,
  warmUp = 1,
): Promise<PairedFigures<Figure>> {
  const first: Figure[] = [];
  const second: Figure[] = [];
  const runFirst = async (): Promise<void> => void first.push(await sides.first());
  const runSecond = async (): Promise<void> => void second.push(await sides.second());
  for (let pair = 0; pair < warmUp + pairs; pair += 1) {
    const order = pair % 2 === 0 ? [runFirst, runSecond] : [runSecond, runFirst];
    for (const run of order) await run();
  }
  return { first: first.slice(warmUp), second: second.slice(warmUp) };
}
