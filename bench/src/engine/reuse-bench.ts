import { formatTable } from "@slipstream-stack/cli";
import type { Bench, BenchContext, Figures } from "../bench.ts";
import { alternatePairs } from "../measure/alternate-pairs.ts";
import { differenceOf, ratioOf } from "../measure/ratio.ts";
import { median, quantile } from "../measure/statistics.ts";
import { formatMs, formatRatio, ratioFigures, round } from "../report/format-figures.ts";
import { BenchEngine, branchOf, seededPrompt, type TimedAnswer } from "./bench-engine.ts";
import { gapsWithin } from "./token-gaps.ts";

const cachedTokens = 4_000;
const contextTokens = 16_384;
const idleContextTokens = 8_192;
const idleSequences = 8;
const idleShare = 0.8;
const decodeTokens = 96;
const decoders = 4;
const defaultPairs = 10;

/** One line of the table: both sides, and what they come to. */
interface Line {
  readonly cells: readonly string[];
  readonly figures: Figures;
}

/** Two engines are loaded while idle sequences are compared; only one works at a time. */
export const engineReuse: Pick<Bench, "run"> = {
  async run(context) {
    const lines: Line[] = [];
    {
      await using engine = await BenchEngine.start(context.temporaryFolder, { contextTokens });
      context.note("reuse");
      lines.push(await reuse(engine, context));
      context.note("fork");
      lines.push(await fork(engine, context));
      context.note("gaps");
      lines.push(await gaps(engine, context));
    }
    context.note("idle sequences");
    lines.push(await idle(context));
    const heads = ["", "one side", "other side", "median and interval", "goal"];
    context.print(formatTable([heads, ...lines.map(({ cells }) => cells)]));
    return Object.assign({}, ...lines.map(({ figures }) => figures));
  },
};

function firstToken({ tokenTimes, submittedAt }: TimedAnswer): number {
  return (tokenTimes[0] ?? Number.NaN) - submittedAt;
}

/** Time to the first token with 4,000 tokens held, against the same prompt evaluated anew. */
async function reuse(engine: BenchEngine, context: BenchContext): Promise<Line> {
  const prompt = seededPrompt(1, cachedTokens);
  await engine.time(prompt, 1);
  let cached = cachedTokens;
  const figures = await alternatePairs(
    {
      first: async () => {
        const answer = await engine.time(prompt, 1);
        cached = Math.min(cached, answer.cached);
        return firstToken(answer);
      },
      second: async () => firstToken(await engine.time(prompt, 1, { useCache: false })),
    },
    context.pairs ?? defaultPairs,
  );
  const ratio = ratioOf(figures);
  const [held, anew] = [median(figures.first), median(figures.second)];
  return {
    cells: [
      `first token, ${cachedTokens} tokens`,
      `held ${formatMs(held)} (${cached} cached)`,
      `anew ${formatMs(anew)}`,
      `${formatRatio(ratio, 0)} times`,
      ">= 50",
    ],
    figures: { reuse: { heldMs: round(held), anewMs: round(anew), cached, ratio: ratioFigures(ratio) } },
  };
}

/** What it costs that a held prefix must be forked, against going on where a sequence ends. */
async function fork(engine: BenchEngine, context: BenchContext): Promise<Line> {
  const trunk = 20_000;
  await engine.time(branchOf(trunk, cachedTokens, trunk + 1, 64), 1);
  let seed = trunk + 2;
  const figures = await alternatePairs(
    {
      first: async () => firstToken(await engine.time(branchOf(trunk, cachedTokens, trunk + 1, 64), 1)),
      second: async () => {
        seed += 1;
        return firstToken(await engine.time(branchOf(trunk, cachedTokens, seed, 1), 1));
      },
    },
    context.pairs ?? defaultPairs,
  );
  const difference = differenceOf(figures);
  return {
    cells: [
      `fork at ${cachedTokens} tokens`,
      `go on ${formatMs(median(figures.first))}`,
      `fork ${formatMs(median(figures.second))}`,
      `${formatRatio(difference, 2)} ms more`,
      "< 5 ms",
    ],
    figures: {
      fork: {
        goOnMs: round(median(figures.first)),
        forkMs: round(median(figures.second)),
        differenceMs: ratioFigures(difference),
      },
    },
  };
}

/** The gaps that decoders see while another request prefills 4,000 tokens, and alone. */
async function gaps(engine: BenchEngine, context: BenchContext): Promise<Line> {
  let seed = 30_000;
  const alone: number[] = [];
  const beside: number[] = [];
  const prefills: number[] = [];
  const figures = await alternatePairs(
    {
      first: async () => {
        const answers = await Promise.all(decode(engine, decoders, decodeTokens));
        const from = Math.max(...answers.map(({ tokenTimes }) => tokenTimes[0] ?? 0));
        const found = answers.flatMap(({ tokenTimes, endedAt }) => gapsWithin(tokenTimes, from, endedAt));
        alone.push(...found);
        return quantile(found, 0.5);
      },
      second: async () => {
        seed += 1;
        const running = decode(engine, decoders, 4 * decodeTokens);
        // They decode for a while before the other request comes.
        await engine.time(seededPrompt(seed, 32), 16, { useCache: false });
        const other = await engine.time(seededPrompt(seed, cachedTokens), 1, { useCache: false });
        const until = other.tokenTimes[0] ?? Number.NaN;
        prefills.push(firstToken(other));
        const answers = await Promise.all(running);
        const found = answers.flatMap(({ tokenTimes }) => gapsWithin(tokenTimes, other.submittedAt, until));
        beside.push(...found);
        return quantile(found, 0.5);
      },
    },
    Math.min(context.pairs ?? defaultPairs, 5),
    0,
  );
  const ratio = ratioOf(figures);
  const shown = (values: readonly number[]): string =>
    `${formatMs(quantile(values, 0.5))} / ${formatMs(quantile(values, 0.99))}`;
  return {
    cells: [
      `token gap p50 / p99 of ${decoders} decoders`,
      `alone ${shown(alone)}`,
      `beside a prefill of ${cachedTokens}: ${shown(beside)}`,
      `${formatRatio(ratio, 2)} times at p50`,
      "-",
    ],
    figures: {
      gaps: {
        aloneMs: { p50: round(quantile(alone, 0.5)), p99: round(quantile(alone, 0.99)) },
        besideMs: { p50: round(quantile(beside, 0.5)), p99: round(quantile(beside, 0.99)) },
        prefillMs: round(median(prefills)),
        ratio: ratioFigures(ratio),
      },
    },
  };
}

function decode(engine: BenchEngine, count: number, tokens: number): Promise<TimedAnswer>[] {
  return Array.from({ length: count }, (_, index) =>
    engine.time(seededPrompt(40_000 + index, 32), tokens, { useCache: false }),
  );
}

/** Decode with idle sequences that hold most of the capacity, against an engine that holds nothing. */
async function idle(context: BenchContext): Promise<Line> {
  const options = { contextTokens: idleContextTokens };
  await using empty = await BenchEngine.start(context.temporaryFolder, options);
  await using full = await BenchEngine.start(context.temporaryFolder, options);
  const each = Math.floor((idleContextTokens * idleShare) / idleSequences);
  for (let index = 0; index < idleSequences; index += 1) {
    await full.time(seededPrompt(50_000 + index, each), 1);
  }
  const rate = async (engine: BenchEngine): Promise<number> => {
    const [answer] = await Promise.all(decode(engine, 1, decodeTokens));
    const times = answer?.tokenTimes ?? [];
    return ((times.length - 1) * 1_000) / ((times.at(-1) ?? 0) - (times[0] ?? 0));
  };
  const figures = await alternatePairs(
    { first: () => rate(empty), second: () => rate(full) },
    context.pairs ?? defaultPairs,
  );
  const ratio = ratioOf(figures);
  const { kvTokensUsed, parked } = full.model.engine.load();
  return {
    cells: [
      `decode beside ${idleSequences} idle x ${each} tokens`,
      `without ${median(figures.first).toFixed(0)} tok/s`,
      `with ${median(figures.second).toFixed(0)} tok/s (${kvTokensUsed} in cells, ${parked} parked)`,
      formatRatio(ratio),
      ">= 0.9",
    ],
    figures: {
      idle: {
        without: round(median(figures.first)),
        with: round(median(figures.second)),
        cellsUsed: kvTokensUsed,
        sequencesParked: parked,
        ratio: ratioFigures(ratio),
      },
    },
  };
}
