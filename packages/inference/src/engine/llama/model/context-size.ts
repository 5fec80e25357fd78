import { InferenceError } from "../../../errors.ts";

/** What decides how many cells a context gets. Memory in bytes, lengths in tokens. */
export interface ContextSizing {
  readonly trainedContext: number;
  readonly bytesPerToken: number;
  readonly freeMemory: number;
  readonly requested: number | null;
}

const fullContexts = 4;
const mostTokens = 131_072;
const leastTokens = 1_024;
const memoryShare = 0.5;

/**
 * Cells of the KV cache: room for four full contexts, but not beyond 131,072 cells or half of the free memory.
 * Throws `InferenceError` `context_too_large` where even the least, or what was asked for, does not fit.
 */
export function contextSize(sizing: ContextSizing): number {
  const fitting = Math.floor((sizing.freeMemory * memoryShare) / sizing.bytesPerToken);
  const wanted = sizing.requested ?? Math.min(sizing.trainedContext * fullContexts, mostTokens, fitting);
  const tokens = Math.ceil(wanted / 256) * 256;
  const needed = tokens * sizing.bytesPerToken;
  if (wanted < Math.min(leastTokens, sizing.trainedContext) && sizing.requested === null) {
    throw new InferenceError(
      "context_too_large",
      `Memory for ${leastTokens} tokens of context is missing: free some, or choose a smaller model.`,
    );
  }
  if (sizing.requested !== null && (wanted < 1 || needed > sizing.freeMemory)) {
    throw new InferenceError(
      "context_too_large",
      `A context of ${wanted} tokens needs ${needed} bytes of ${sizing.freeMemory} free: ask for less.`,
    );
  }
  return tokens;
}
