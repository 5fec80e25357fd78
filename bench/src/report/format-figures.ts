import type { Figures } from "../bench.ts";
import type { Ratio } from "../measure/ratio.ts";

/** `0.987 [0.954, 1.020] (97.9 %, 10 pairs)`. */
export function formatRatio({ median, low, high, coverage, pairs }: Ratio, digits = 3): string {
  const share = (coverage * 100).toFixed(1);
  return `${median.toFixed(digits)} [${low.toFixed(digits)}, ${high.toFixed(digits)}] (${share} %, ${pairs} pairs)`;
}

/** A ratio for the closing line, rounded to what its interval can mean. */
export function ratioFigures(ratio: Ratio): Figures {
  return {
    median: round(ratio.median),
    low: round(ratio.low),
    high: round(ratio.high),
    coverage: round(ratio.coverage),
    pairs: ratio.pairs,
  };
}

/** Four significant digits. */
export function round(value: number): number {
  return Number(value.toPrecision(4));
}

/** Milliseconds for people. */
export function formatMs(value: number): string {
  if (value >= 100) return `${Math.round(value)} ms`;
  return `${value.toFixed(value < 10 ? 2 : 1)} ms`;
}
