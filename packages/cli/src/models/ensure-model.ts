import { CliError } from "../errors.ts";
import { cacheFolder } from "../host/folders.ts";
import type { CommandContext } from "../terminal/command-context.ts";
import { findEntry } from "./catalogue.ts";
import { resolveModel } from "./resolve-model.ts";

/**
 * For commands that promise all set-up, such as the demo: pulls a catalogue model that is not here, in sight of
 * the person who waits. Every other absence stays an error.
 * @throws CliError of `resolveModel` and of the pull
 */
export async function ensureModel(name: string, context: CommandContext, signal: AbortSignal): Promise<void> {
  const { host } = context;
  try {
    await resolveModel(cacheFolder(host), name, host.workingFolder);
    return;
  } catch (error) {
    const entry = findEntry(name);
    if (!CliError.isInstance(error) || error.code !== "model_missing" || entry === null) throw error;
    const { pullWithProgress } = await import("./pull-with-progress.ts");
    await pullWithProgress(entry, context, signal);
  }
}
