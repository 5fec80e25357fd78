import type { LapFigures } from "@slipstream-stack/harness";
import type { SideResult } from "./run-side.ts";

/** A side in numbers: bytes and computed tokens as the server counted them. Times in milliseconds. */
export interface SideTotals {
  readonly laps: number;
  readonly bytesSent: number;
  readonly computedTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly modelMs: number;
  readonly toolMs: number;
  readonly wallMs: number;
  readonly firstOutputMs: number;
}

/** The demo's figures; `ratio` and `ratioUsual` are in model time, the other two in wall time. */
export interface DemoFigures {
  readonly ratio: number;
  readonly ratioUsual: number;
  readonly ratioWall: number;
  readonly ratioUsualWall: number;
  readonly laps: number;
  readonly sides: Readonly<Record<SideResult["side"]["id"], SideTotals>>;
}

const sum = (laps: readonly LapFigures[], of: (lap: LapFigures) => number): number =>
  laps.reduce((total, lap) => total + of(lap), 0);

/** Adds up one side; times are rounded to tenths of a millisecond. */
function sideTotals({ laps, modelMs, wallMs, counts }: SideResult): SideTotals {
  return {
    laps: laps.length,
    bytesSent: counts.bytesIn,
    computedTokens: counts.prefilled,
    cachedTokens: sum(laps, (lap) => lap.tokens?.cached ?? 0),
    outputTokens: sum(laps, (lap) => lap.tokens?.output ?? 0),
    modelMs: round(modelMs, 10),
    toolMs: round(
      sum(laps, (lap) => lap.toolMs),
      10,
    ),
    wallMs: round(wallMs, 10),
    firstOutputMs: round(
      sum(laps, (lap) => lap.firstOutputMs ?? 0),
      10,
    ),
  };
}

/** Puts the three sides in proportion: how many times longer the other sides took. */
export function demoFigures(results: readonly SideResult[]): DemoFigures {
  const totals = new Map(results.map((result) => [result.side.id, sideTotals(result)]));
  const [nothing, usual, ours] = (["nothing_kept", "usual", "slipstream"] as const).map((id) =>
    totals.get(id),
  );
  if (nothing === undefined || usual === undefined || ours === undefined) {
    throw new RangeError("The demo needs all three sides.");
  }
  return {
    ratio: round(nothing.modelMs / ours.modelMs, 100),
    ratioUsual: round(usual.modelMs / ours.modelMs, 100),
    ratioWall: round(nothing.wallMs / ours.wallMs, 100),
    ratioUsualWall: round(usual.wallMs / ours.wallMs, 100),
    laps: ours.laps,
    sides: { nothing_kept: nothing, usual, slipstream: ours },
  };
}

function round(value: number, steps: number): number {
  return Math.round(value * steps) / steps;
}
