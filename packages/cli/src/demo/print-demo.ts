import type { LapFigures } from "@slipstream-stack/harness";
import { formatTable } from "../terminal/format-table.ts";
import type { DemoFigures, SideTotals } from "./demo-figures.ts";

const lapHeads = ["lap", "bytes sent", "new tokens", "cached", "first token", "model", "tool", "loop gap"];

const ms = (value: number | null): string =>
  value === null ? "-" : `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;

/** One side, lap by lap. */
export function formatLaps(laps: readonly LapFigures[]): string {
  const rows = laps.map((lap) => [
    String(lap.lap),
    String(lap.bytesSent),
    String(lap.tokens?.new ?? "-"),
    String(lap.tokens?.cached ?? "-"),
    ms(lap.firstOutputMs),
    ms(lap.modelMs),
    ms(lap.toolMs),
    ms(lap.loopGapMs),
  ]);
  return formatTable([lapHeads, ...rows]);
}

/** The three sides next to each other, and what they come to. */
export function formatTotals(figures: DemoFigures): string {
  const { nothing_kept, usual, slipstream } = figures.sides;
  const row = (name: string, of: (totals: SideTotals) => string) => [
    name,
    of(nothing_kept),
    of(usual),
    of(slipstream),
  ];
  const table = formatTable([
    ["", "nothing kept", "usual", "Slipstream"],
    row("bytes sent", (totals) => String(totals.bytesSent)),
    row("prompt tokens computed", (totals) => String(totals.computedTokens)),
    row("prompt tokens from cache", (totals) => String(totals.cachedTokens)),
    row("model time", (totals) => ms(totals.modelMs)),
    row("tool time", (totals) => ms(totals.toolMs)),
    row("whole task", (totals) => ms(totals.wallMs)),
  ]);
  return `${table}
Slipstream against nothing kept: ${figures.ratio}x in model time, ${figures.ratioWall}x for the whole task.
Slipstream against the usual:    ${figures.ratioUsual}x in model time, ${figures.ratioUsualWall}x for the whole task.
`;
}

/** How to go on from here. */
export function formatNextSteps(model: string): string {
  return `
Go on from here:
  npx --no slipstream serve                 start the server on port 4141
  npx --no slipstream exec "your task"      let the agent work in this folder
  npx --no slipstream codex-config          what Codex needs to use it
  the openai SDK                            baseURL "http://127.0.0.1:4141/v1", model "${model}"
`;
}
