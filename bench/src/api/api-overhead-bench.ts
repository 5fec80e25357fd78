import { formatTable } from "@slipstream-stack/cli";
import type { Bench, Figures } from "../bench.ts";
import { alternatePairs } from "../measure/alternate-pairs.ts";
import { pick, ratioOf } from "../measure/ratio.ts";
import { quantile } from "../measure/statistics.ts";
import { formatMs, formatRatio, ratioFigures, round } from "../report/format-figures.ts";
import { type Overhead, OverheadSide } from "./overhead-side.ts";

const defaultPairs = 40;
const sizes = [1_000, 10_000, 100_000] as const;

/** Two servers run; their laps take turns. Responses are stored on both. */
export const apiOverhead: Pick<Bench, "run"> = {
  async run(context) {
    await using chained = await OverheadSide.start(context, true);
    await using resent = await OverheadSide.start(context, false);
    const rows: string[][] = [];
    const figures: Figures = {};
    const serverMedians: number[] = [];
    for (const size of sizes) {
      for (const side of [chained, resent]) {
        await side.begin(size);
        await side.eventLoopDelayMs();
      }
      const laps = await alternatePairs(
        { first: () => chained.lap(), second: () => resent.lap() },
        context.pairs ?? defaultPairs,
        3,
      );
      const ratio = ratioOf(pick(laps, ({ server }) => server));
      serverMedians.push(
        quantile(
          laps.first.map(({ server }) => server),
          0.5,
        ),
      );
      const tokens = await chained.promptTokens();
      const [delay, resentDelay] = [await chained.eventLoopDelayMs(), await resent.eventLoopDelayMs()];
      rows.push([
        String(tokens),
        shown(laps.first, "server"),
        shown(laps.first, "store"),
        shown(laps.first, "client"),
        shown(laps.second, "server"),
        shown(laps.second, "client"),
        `${formatRatio(ratio, 1)} times`,
        `${formatMs(delay)} / ${formatMs(resentDelay)}`,
      ]);
      figures[`at${size}`] = {
        tokens,
        chained: sideFigures(laps.first),
        resent: sideFigures(laps.second),
        ratio: ratioFigures(ratio),
        eventLoopDelayP99Ms: { chained: round(delay), resent: round(resentDelay) },
      };
    }
    const heads = [
      "tokens",
      "chained, server p50 / p99",
      "of it store",
      "chained, client",
      "resent, server",
      "resent, client",
      "resent / chained, server",
      "event-loop delay p99",
    ];
    context.print(formatTable([heads, ...rows]));
    const growth = serverMedians.map((ms) => ms / (serverMedians[0] ?? Number.NaN));
    context.print(
      `\nchained p50 against the shortest history: ${growth.map((times) => times.toFixed(2)).join(", ")}\n`,
    );
    return { ...figures, chainedGrowth: growth.map(round) };
  },
};

function shown(laps: readonly Overhead[], of: keyof Overhead): string {
  const values = laps.map((lap) => lap[of]);
  return `${formatMs(quantile(values, 0.5))} / ${formatMs(quantile(values, 0.99))}`;
}

function sideFigures(laps: readonly Overhead[]): Figures {
  const of = (key: keyof Overhead, share: number): number =>
    round(
      quantile(
        laps.map((lap) => lap[key]),
        share,
      ),
    );
  return {
    serverMs: { p50: of("server", 0.5), p99: of("server", 0.99) },
    storeMs: { p50: of("store", 0.5), p99: of("store", 0.99) },
    clientMs: { p50: of("client", 0.5), p99: of("client", 0.99) },
  };
}
