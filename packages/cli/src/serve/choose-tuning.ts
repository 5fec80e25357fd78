import { type TuningOutcome, tuneLlamaModel } from "@slipstream-stack/inference";
import type { Config } from "../config/schema.ts";

/** What a start needs to be tuned. */
export interface TuningRequest {
  readonly config: Config;
  /** Path of the GGUF file. */
  readonly path: string;
  readonly runFolder: string;
  readonly cacheFolder: string;
  readonly signal: AbortSignal;
  /** Told in one sentence before a measurement keeps the start waiting. */
  readonly note: (text: string) => void;
}

/**
 * The tuning of this machine for a model, or null where none is wanted: switched off, everything set by hand, or
 * deterministic, where the same tokens count for more than speed. One who gives up meanwhile is not tuned either.
 */
export async function chooseTuning(
  request: TuningRequest,
  tune = tuneLlamaModel,
): Promise<TuningOutcome | null> {
  const { config, signal, note, ...places } = request;
  if (!config.tune || config.deterministic || isSetByHand(config)) return null;
  const onMeasure = (budgetMs: number): void =>
    note(
      `Measuring this machine for the model, once, for up to ${budgetMs / 1_000} s (--tune off skips it).`,
    );
  try {
    return await tune({ ...places, signal, onMeasure });
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

function isSetByHand({ prefill_threads, decode_threads, batch_tokens, flash_attention }: Config): boolean {
  return ![prefill_threads, decode_threads, batch_tokens, flash_attention].includes(null);
}
