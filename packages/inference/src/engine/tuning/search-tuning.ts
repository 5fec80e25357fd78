import { defaultTuning, isSameTuning, type Tuning, type TuningSample, threadCandidates } from "./tuning.ts";

/** Evaluates the same work under a tuning; null when there is no time left for it. */
export type MeasureTuning = (tuning: Tuning) => Promise<TuningSample | null>;

export interface TuningSearch {
  readonly tuning: Tuning;
  /** Everything was measured; else what was not stands at its default. */
  readonly isComplete: boolean;
  readonly samples: readonly TuningSample[];
}

/** Rounds for every candidate; one more where they do not tell the candidates apart. */
const usualRounds = 2;
/** Medians this close count as equal: repeats on an idle machine differ by about as much. */
const tieShare = 0.03;
/** A candidate that takes this much longer than the best is measured once, and those after it not at all. */
const hopelessFactor = 2.5;

type Cost = (sample: TuningSample) => number;

const total: Cost = ({ prefillMs, decodeMs }) => prefillMs + decodeMs;

/**
 * Finds the fastest tuning one question after the other: threads (prefill and decode apart), flash attention,
 * batch. Candidates are measured in turn, there and back, so that a drift of the machine meets all alike;
 * medians decide, and of equals the one that asks least of the machine.
 */
export async function searchTuning(cores: number, measure: MeasureTuning): Promise<TuningSearch> {
  const start = defaultTuning(cores);
  const samples: TuningSample[] = [];
  const counts = threadCandidates(cores).map((count) => ({
    ...start,
    threads: { prefill: count, decode: count },
  }));
  let isComplete = await alternate(counts, measure, samples);
  const fewestFirst = counts.toReversed();
  const prefill = choose(fewestFirst, start, samples, (sample) => sample.prefillMs).threads.prefill;
  const decode = choose(fewestFirst, start, samples, (sample) => sample.decodeMs).threads.decode;
  let tuning: Tuning = { ...start, threads: { prefill, decode } };
  for (const alternative of [{ flashAttention: false }, { batchTokens: 256 }]) {
    const candidates = [tuning, { ...tuning, ...alternative }];
    isComplete = isComplete && (await alternate(candidates, measure, samples));
    tuning = choose(candidates, tuning, samples, total);
  }
  return { tuning, isComplete, samples };
}

/** Measures each candidate once a round. False: time ended first. */
async function alternate(
  candidates: readonly Tuning[],
  measure: MeasureTuning,
  samples: TuningSample[],
): Promise<boolean> {
  let hopeful = [...candidates];
  const taken: TuningSample[] = [];
  for (let round = 0; round < usualRounds || (round === usualRounds && overlap(hopeful, taken)); round += 1) {
    const turn = round % 2 === 0 ? hopeful : hopeful.toReversed();
    for (const [index, candidate] of turn.entries()) {
      const sample = await measure(candidate);
      if (sample === null) return false;
      samples.push(sample);
      taken.push(sample);
      if (round > 0 || !isHopeless(sample, taken)) continue;
      hopeful = hopeful.slice(0, index);
      break;
    }
  }
  return true;
}

function isHopeless(sample: TuningSample, others: readonly TuningSample[]): boolean {
  return total(sample) > Math.min(...others.map(total)) * hopelessFactor;
}

/** Whether the ranges of two candidates' costs meet. */
function overlap(candidates: readonly Tuning[], samples: readonly TuningSample[]): boolean {
  const ranges = candidates
    .map((tuning) => costsOf(tuning, samples, total))
    .map((costs) => ({ least: Math.min(...costs), most: Math.max(...costs) }))
    .sort((a, b) => a.least - b.least);
  return ranges.some((range, index) => range.least <= (ranges[index - 1]?.most ?? 0));
}

function costsOf(tuning: Tuning, samples: readonly TuningSample[], cost: Cost): number[] {
  return samples.filter((sample) => isSameTuning(sample.tuning, tuning)).map(cost);
}

/** The first of `candidates` whose median is not beaten; `usual` where that itself was not measured enough. */
function choose(
  candidates: readonly Tuning[],
  usual: Tuning,
  samples: readonly TuningSample[],
  cost: Cost,
): Tuning {
  const medians = candidates.flatMap((tuning) => {
    const costs = costsOf(tuning, samples, cost);
    return costs.length < usualRounds ? [] : [{ tuning, median: lowMedian(costs) }];
  });
  if (!medians.some(({ tuning }) => isSameTuning(tuning, usual))) return usual;
  const best = Math.min(...medians.map((entry) => entry.median));
  return medians.find((entry) => entry.median <= best * (1 + tieShare))?.tuning ?? usual;
}

/** Of an even number the lower middle: what disturbs a run makes it longer, never shorter. */
function lowMedian(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}
