import { Worker } from "node:worker_threads";
import { ToolArgumentError } from "../tool.ts";
import type { Searcher, SearchMatches } from "./searcher.ts";

/** What the worker answers. */
export type WalkerAnswer =
  | { readonly kind: "matches"; readonly matches: SearchMatches }
  | { readonly kind: "invalid"; readonly message: string };

/**
 * Searches without ripgrep. It runs in a worker of its own, because a regular expression of the model may
 * take exponential time: ending the worker is the only way to stop one.
 */
export const walkerSearch: Searcher = async (query, options, signal) => {
  signal.throwIfAborted();
  const { workspace } = options;
  const worker = new Worker(new URL("./walker-worker.ts", import.meta.url), {
    workerData: { query, workspace },
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  const { promise, resolve, reject } = Promise.withResolvers<WalkerAnswer>();
  worker.once("message", resolve);
  worker.once("error", reject);
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  const cancelTimer = options.clock.after(options.timeoutMs, () =>
    reject(new ToolArgumentError("The search took too long; narrow the path or the pattern.")),
  );
  try {
    const answer = await promise;
    if (answer.kind === "invalid") throw new ToolArgumentError(answer.message);
    return answer.matches;
  } finally {
    cancelTimer();
    signal.removeEventListener("abort", onAbort);
    await worker.terminate();
  }
};
