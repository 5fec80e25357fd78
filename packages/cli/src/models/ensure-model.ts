import { CliError } from "../errors.ts";
import { cacheFolder } from "../host/folders.ts";
import type { CommandContext } from "../terminal/command-context.ts";
import { progressBar } from "../terminal/progress-bar.ts";
import { findEntry } from "./catalogue.ts";
import { resolveModel } from "./resolve-model.ts";

/**
 * For commands that promise all set-up, such as the demo: pulls a catalogue model that is not here, in sight of
 * the person who waits. Every other absence stays an error.
 * @throws CliError of `resolveModel` and of the pull
 */
export async function ensureModel(name: string, context: CommandContext, signal: AbortSignal): Promise<void> {
  const { host } = context;
  const cache = cacheFolder(host);
  try {
    await resolveModel(cache, name, host.workingFolder);
    return;
  } catch (error) {
    const entry = findEntry(name);
    if (!CliError.isInstance(error) || error.code !== "model_missing" || entry === null) throw error;
    const { pullFromSources } = await import("./pull-from-sources.ts");
    const now = (): number => performance.now();
    const progress = progressBar({ write: context.note, isTerminal: context.isTerminal, now });
    try {
      await pullFromSources({ cache, entry, progress, signal }, host);
    } finally {
      progress.end();
    }
  }
}
