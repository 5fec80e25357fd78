/** Bounds that hold the median with at least the stated probability. */
export interface Interval {
  readonly low: number;
  readonly high: number;
  /** Probability that the true median lies between the bounds, whatever the distribution. */
  readonly coverage: number;
}

/** The value below which a share of the values lies, interpolated between neighbours. NaN of no values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((first, second) => first - second);
  const at = (sorted.length - 1) * share;
  const low = sorted[Math.floor(at)];
  const high = sorted[Math.ceil(at)];
  if (low === undefined || high === undefined) return Number.NaN;
  return low + (high - low) * (at - Math.floor(at));
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/**
 * A confidence interval of the median from order statistics: no assumption on the distribution, as times on a
 * shared machine have long tails (Hahn and Meeker, Statistical Intervals, section 5.2). Few values cannot give
 * the confidence asked for; then the bounds are the extremes and `coverage` says what they are worth.
 */
export function medianInterval(values: readonly number[], confidence = 0.95): Interval {
  const sorted = values.toSorted((first, second) => first - second);
  const count = sorted.length;
  let rank = 0;
  let below = 2 ** -count;
  let term = below;
  // `below` is the chance that at most `rank` values lie under the median.
  for (;;) {
    term = (term * (count - rank)) / (rank + 1);
    if (rank + 1 > (count - 1) / 2 || 2 * (below + term) > 1 - confidence) break;
    below += term;
    rank += 1;
  }
  return {
    low: sorted[rank] ?? Number.NaN,
    high: sorted[count - 1 - rank] ?? Number.NaN,
    coverage: Math.max(0, 1 - 2 * below),
  };
}
