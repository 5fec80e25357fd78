import type { PairedFigures } from "./alternate-pairs.ts";
import { type Interval, median, medianInterval } from "./statistics.ts";

/** How many times the first side's figure the second side's is, pair by pair. */
export interface Ratio extends Interval {
  readonly median: number;
  readonly pairs: number;
}

/** The second side's figures over the first's: the median of the pairs' ratios and its interval. */
export function ratioOf({ first, second }: PairedFigures<number>): Ratio {
  const ratios = first.map((figure, pair) => (second[pair] ?? Number.NaN) / figure);
  return { median: median(ratios), ...medianInterval(ratios), pairs: ratios.length };
}

/** The second side's figures less the first's, in the figures' unit: the median of the pairs and its interval. */
export function differenceOf({ first, second }: PairedFigures<number>): Ratio {
  const differences = first.map((figure, pair) => (second[pair] ?? Number.NaN) - figure);
  return { median: median(differences), ...medianInterval(differences), pairs: differences.length };
}

/** Picks one number out of each side's figures. */
export function pick<Figure>(
  { first, second }: PairedFigures<Figure>,
  of: (figure: Figure) => number,
): PairedFigures<number> {
  return { first: first.map(of), second: second.map(of) };
}
