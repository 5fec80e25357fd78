import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { formatTable } from "@slipstream-stack/cli";
import type { Bench, BenchContext, Figures } from "../bench.ts";
import { alternatePairs, type PairedFigures } from "../measure/alternate-pairs.ts";
import { ratioOf } from "../measure/ratio.ts";
import { median } from "../measure/statistics.ts";
import { formatRatio, ratioFigures, round } from "../report/format-figures.ts";
import { BenchEngine, benchModelPath, seededPrompt } from "./bench-engine.ts";
import { NativeLoop } from "./native-loop.ts";

const contextTokens = 4_096;
const batchTokens = 512;
const decodePrompt = 32;
const decodeSteps = 64;
const defaultPairs = 12;
/** Threads spin for some milliseconds after their last work: the other side's must be asleep. */
const restMs = 200;

/** One kind of work, as tokens per second of the engine and of the native loop. */
interface Row {
  readonly name: string;
  readonly figures: PairedFigures<number>;
}

/** Both stay loaded; only one works at a time. */
export const engineNative: Pick<Bench, "run"> = {
  async run(context) {
    const threads = availableParallelism();
    const modelPath = await benchModelPath();
    await using native = await NativeLoop.start(context.temporaryFolder, {
      modelPath,
      contextTokens,
      batchTokens,
      threads,
    });
    await using engine = await BenchEngine.start(context.temporaryFolder, { contextTokens, batchTokens });
    const rows: Row[] = [];
    for (const tokens of [512, 2_048]) {
      context.note(`prefill of ${tokens} tokens`);
      rows.push(await comparePrefill(context, native, engine, tokens));
    }
    for (const sequences of [1, 2, 4, 8]) {
      context.note(`decode of ${sequences} sequences`);
      rows.push(await compareDecode(context, native, engine, sequences));
    }
    return report(context, rows);
  },
};

async function comparePrefill(
  context: BenchContext,
  native: NativeLoop,
  engine: BenchEngine,
  tokens: number,
): Promise<Row> {
  let seed = tokens;
  const figures = await alternatePairs(
    {
      first: async () => {
        await sleep(restMs);
        return perSecond(tokens, await native.prefill(tokens));
      },
      second: async () => {
        await sleep(restMs);
        seed += 1;
        const prompt = seededPrompt(seed, tokens);
        const answer = await engine.time(prompt, 1, { useCache: false });
        return perSecond(tokens, (answer.tokenTimes[0] ?? Number.NaN) - answer.submittedAt);
      },
    },
    context.pairs ?? defaultPairs,
  );
  return { name: `prefill ${tokens}`, figures };
}

async function compareDecode(
  context: BenchContext,
  native: NativeLoop,
  engine: BenchEngine,
  sequences: number,
): Promise<Row> {
  const tokens = sequences * decodeSteps;
  const figures = await alternatePairs(
    {
      first: async () => {
        await sleep(restMs);
        return perSecond(tokens, await native.decode(sequences, decodePrompt, decodeSteps));
      },
      second: async () => {
        await sleep(restMs);
        return engineDecode(engine, sequences);
      },
    },
    context.pairs ?? defaultPairs,
  );
  return { name: `decode x${sequences}`, figures };
}

/** Tokens per second between the moment all sequences have their first token and the moment the first one ends. */
async function engineDecode(engine: BenchEngine, sequences: number): Promise<number> {
  const prompts = Array.from({ length: sequences }, (_, index) => seededPrompt(1_000 + index, decodePrompt));
  const answers = await Promise.all(
    prompts.map((prompt) => engine.time(prompt, decodeSteps + 1, { useCache: false })),
  );
  const from = Math.max(...answers.map(({ tokenTimes }) => tokenTimes[0] ?? Number.NaN));
  const to = Math.min(...answers.map(({ tokenTimes }) => tokenTimes.at(-1) ?? Number.NaN));
  const within = answers.flatMap(({ tokenTimes }) => tokenTimes.filter((time) => time > from && time <= to));
  return perSecond(within.length, to - from);
}

function perSecond(tokens: number, milliseconds: number): number {
  return (tokens * 1_000) / milliseconds;
}

function report(context: BenchContext, rows: readonly Row[]): Figures {
  const cells = rows.map(({ name, figures }) => [
    name,
    median(figures.first).toFixed(0),
    median(figures.second).toFixed(0),
    formatRatio(ratioOf(figures)),
    bestRatio(figures).toFixed(3),
  ]);
  context.print(
    formatTable([
      ["", "native tok/s", "engine tok/s", "engine / native (goal >= 0.95)", "best / best"],
      ...cells,
    ]),
  );
  return Object.fromEntries(
    rows.map(({ name, figures }) => [
      name,
      {
        native: round(median(figures.first)),
        engine: round(median(figures.second)),
        ratio: ratioFigures(ratioOf(figures)),
        best: round(bestRatio(figures)),
      },
    ]),
  );
}

/** What others on the machine do only ever slows a run down, so that the best runs are those least disturbed. */
function bestRatio({ first, second }: PairedFigures<number>): number {
  return Math.max(...second) / Math.max(...first);
}
