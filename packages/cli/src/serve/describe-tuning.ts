import type { Tuning, TuningOutcome, TuningSearch } from "@slipstream-stack/inference";

const reasons = {
  machine_busy: "not measured, the machine is busy; the next start tries again",
  measured_elsewhere: "not measured, another process does; the next start reads it",
  failed: "not measured, as it failed; the next start tries again",
} as const;

/** What was chosen and how, in one line. */
export function describeTuning({ tuning, origin }: TuningOutcome): string {
  const source =
    origin.kind === "default"
      ? reasons[origin.reason]
      : `${origin.kind === "cached" ? "measured earlier" : "measured now"}${describeSpeed(origin.search)}`;
  return `${describeChoice(tuning)} (${source})`;
}

/** What an earlier start found, in one line. */
export function describeSearch(search: TuningSearch): string {
  return describeTuning({ tuning: search.tuning, origin: { kind: "cached", search } });
}

function describeChoice({ threads, batchTokens, flashAttention }: Tuning): string {
  const flash = flashAttention ? "flash attention" : "no flash attention";
  return `threads ${threads.prefill} for prompts and ${threads.decode} for decoding, batch ${batchTokens}, ${flash}`;
}

/** The speed of each phase under the threads chosen for it: the best of its samples. */
function describeSpeed({ samples, tuning, isComplete }: TuningSearch): string {
  const best = (rates: readonly number[]): number => Math.round(Math.max(0, ...rates));
  const prefill = best(
    samples
      .filter((sample) => sample.tuning.threads.prefill === tuning.threads.prefill)
      .map(({ promptTokens, prefillMs }) => (promptTokens / prefillMs) * 1_000),
  );
  const decode = best(
    samples
      .filter((sample) => sample.tuning.threads.decode === tuning.threads.decode)
      .map(({ decodeSteps, decodeMs }) => (decodeSteps / decodeMs) * 1_000),
  );
  const part = isComplete ? "" : ", in part: time ran out";
  return prefill === 0 ? part : `: ${prefill} and ${decode} tokens/s${part}`;
}
