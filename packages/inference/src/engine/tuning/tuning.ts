/** What of an engine is chosen by measuring the machine. */
export interface Tuning {
  /** Threads that evaluate prompts, and those that evaluate one token a sequence. */
  readonly threads: { readonly prefill: number; readonly decode: number };
  /** Most tokens of one evaluation. */
  readonly batchTokens: number;
  readonly flashAttention: boolean;
}

/** One measurement of a tuning: milliseconds for a prompt and for decode steps after it. */
export interface TuningSample {
  readonly tuning: Tuning;
  /** Equal in all samples that are compared. */
  readonly promptTokens: number;
  readonly decodeSteps: number;
  readonly prefillMs: number;
  readonly decodeMs: number;
}

/** What is used where nothing could be measured: every core, and what llama.cpp itself advises. */
export function defaultTuning(cores: number): Tuning {
  return { threads: { prefill: cores, decode: cores }, batchTokens: 512, flashAttention: true };
}

/** Thread counts worth a measurement, most first: all cores, three quarters, half, one. */
export function threadCandidates(cores: number): number[] {
  const counts = [cores, Math.floor((cores * 3) / 4), Math.floor(cores / 2), 1];
  return [...new Set(counts.filter((count) => count >= 1))];
}

export function isSameTuning(a: Tuning, b: Tuning): boolean {
  return (
    a.threads.prefill === b.threads.prefill &&
    a.threads.decode === b.threads.decode &&
    a.batchTokens === b.batchTokens &&
    a.flashAttention === b.flashAttention
  );
}
