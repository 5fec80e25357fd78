import { cacheFolder } from "../host/folders.ts";
import type { CommandContext } from "../terminal/command-context.ts";
import { progressBar } from "../terminal/progress-bar.ts";
import type { CatalogueEntry } from "./catalogue-entry.ts";
import type { InstalledModel } from "./installed-model.ts";
import { pullFromSources } from "./pull-from-sources.ts";

/** Pulls a model of the catalogue and shows how far it has come. */
export async function pullWithProgress(
  entry: CatalogueEntry,
  context: CommandContext,
  signal: AbortSignal,
): Promise<InstalledModel> {
  const progress = progressBar({
    write: context.note,
    isTerminal: context.isTerminal,
    now: () => performance.now(),
  });
  try {
    return await pullFromSources({ cache: cacheFolder(context.host), entry, progress, signal }, context.host);
  } finally {
    progress.end();
  }
}
