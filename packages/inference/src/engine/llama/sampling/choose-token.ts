import type { Sampling } from "../../../port/decode-program.ts";
import { greatestLogit } from "./log-probability.ts";
import type { RandomSource } from "./random.ts";

// e^-30 per token: a vocabulary of 262,144 such tokens weighs 2.5e-8 of the greatest one.
const negligible = 30;

interface Candidates {
  readonly ids: Uint32Array;
  readonly weights: Float64Array;
}

/**
 * Chooses the next token: temperature first, then top-k, then top-p, as llama.cpp's default chain does. Greedy
 * at temperature 0. Returns -1 where no token is possible.
 */
export function chooseToken(logits: Float32Array, sampling: Sampling, random: RandomSource): number {
  const best = greatestLogit(logits);
  if (best < 0 || sampling.temperature <= 0 || sampling.topK === 1) return best;
  const greatest = logits[best] ?? 0;
  const all = collect(logits, greatest, sampling.temperature);
  const sorted = sampling.topK > 0 || sampling.topP < 1 ? strongest(all, sampling) : all;
  return draw(sorted, random) ?? best;
}

function collect(logits: Float32Array, greatest: number, temperature: number): Candidates {
  const least = greatest - negligible * temperature;
  let count = 0;
  for (const logit of logits) if (logit >= least) count += 1;
  const ids = new Uint32Array(count);
  const weights = new Float64Array(count);
  let index = 0;
  for (let id = 0; id < logits.length; id += 1) {
    const logit = logits[id] ?? -Infinity;
    if (!(logit >= least)) continue;
    ids[index] = id;
    weights[index] = Math.exp((logit - greatest) / temperature);
    index += 1;
  }
  return { ids, weights };
}

/** The candidates that pass top-k, then top-p, by falling weight; equal weights by rising id. */
function strongest({ ids, weights }: Candidates, { topK, topP }: Sampling): Candidates {
  const order = Uint32Array.from(ids.keys());
  order.sort((a, b) => (weights[b] ?? 0) - (weights[a] ?? 0) || a - b);
  const kept = topK > 0 ? order.subarray(0, topK) : order;
  let total = 0;
  for (const index of kept) total += weights[index] ?? 0;
  let count = kept.length;
  if (topP < 1) {
    let sum = 0;
    count = 0;
    for (const index of kept) {
      sum += weights[index] ?? 0;
      count += 1;
      if (sum >= topP * total) break;
    }
  }
  const chosen = kept.subarray(0, count);
  return {
    ids: Uint32Array.from(chosen, (index) => ids[index] ?? 0),
    weights: Float64Array.from(chosen, (index) => weights[index] ?? 0),
  };
}

function draw({ ids, weights }: Candidates, random: RandomSource): number | undefined {
  let total = 0;
  for (const weight of weights) total += weight;
  let rest = random() * total;
  for (let index = 0; index < ids.length; index += 1) {
    rest -= weights[index] ?? 0;
    if (rest < 0) return ids[index];
  }
  return ids.at(-1);
}
