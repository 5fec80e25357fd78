import type { Sampling } from "../../../port/decode-program.ts";
import type { Job } from "./job.ts";

/** What the model allows. Lengths in tokens. */
export interface JobLimits {
  readonly vocabularySize: number;
  readonly contextLength: number;
}

/** Why a job must be refused, or null. The library aborts the process on bad ids, so that none may pass. */
export function validateJob(job: Job, limits: JobLimits): string | null {
  const { prompt, decode } = job;
  if (prompt.length === 0) return "the prompt is empty";
  if (!Number.isInteger(decode.maxTokens) || decode.maxTokens < 0) return "maxTokens is not a whole number";
  // The first token needs a place after the prompt.
  const most = limits.contextLength - (decode.maxTokens === 0 ? 0 : 1);
  if (prompt.length > most) {
    return `the prompt has ${prompt.length} tokens, the context holds ${limits.contextLength}`;
  }
  if (!allBelow(prompt, limits.vocabularySize)) return "the prompt holds an id outside the vocabulary";
  if (decode.forced !== undefined && !allBelow(decode.forced, limits.vocabularySize)) {
    return "the forced ids hold one outside the vocabulary";
  }
  return samplingFault(decode.sampling);
}

function allBelow(ids: Uint32Array, size: number): boolean {
  for (const id of ids) if (id >= size) return false;
  return true;
}

function samplingFault({ temperature, topK, topP, seed }: Sampling): string | null {
  if (!(temperature >= 0 && temperature <= 100)) return "temperature lies outside 0 to 100";
  if (!(topP > 0 && topP <= 1)) return "topP lies outside 0 to 1";
  if (!Number.isInteger(topK) || topK < 0) return "topK is not a whole number";
  if (seed !== null && !Number.isSafeInteger(seed)) return "seed is not a whole number";
  return null;
}
