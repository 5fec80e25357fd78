import { spawn } from "node:child_process";
import { rename, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { InferenceError } from "../../../errors.ts";
import { checkModelFile } from "../model/check-model-file.ts";

/**
 * Writes `source` as Q8_0 to `target`: on a CPU it prefills twice as fast as Q4_1 at the same perplexity. Works in
 * a process of its own under a temporary name, so that neither an abort of the library nor a kill leaves a half
 * file under `target`. Throws `InferenceError` `model_missing`, `model_broken`, or the signal's reason.
 */
export async function requantise(source: string, target: string, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  checkModelFile(source);
  const unfinished = `${target}.part`;
  try {
    const code = await convert(source, unfinished, signal);
    signal?.throwIfAborted();
    if (code !== 0) {
      throw new InferenceError(
        "model_broken",
        `${source} could not be converted: check the free space beside ${target}, or pull the model again.`,
      );
    }
    await rename(unfinished, target);
  } finally {
    await rm(unfinished, { force: true });
  }
}

function convert(source: string, target: string, signal: AbortSignal | undefined): Promise<number | null> {
  const entry = fileURLToPath(new URL("./quantise-child.ts", import.meta.url));
  const child = spawn(process.execPath, [entry, source, target], {
    // The pipe ends with this process, and the child with the pipe.
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.stdin.on("error", () => {});
  const abort = (): void => {
    child.kill("SIGKILL");
  };
  signal?.addEventListener("abort", abort, { once: true });
  return new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  }).finally(() => signal?.removeEventListener("abort", abort));
}
