import { catalogue } from "./catalogue.ts";
import { type CatalogueEntry, memoryNeeded } from "./catalogue-entry.ts";
import { type InstalledModel, listInstalled } from "./installed-model.ts";

/** One line of `slipstream models list`. */
export interface ListedModel {
  readonly id: string;
  readonly title: string;
  readonly installed: boolean;
  readonly sizeBytes: number;
  /** Bytes needed in memory with the default context; null for a local file that nothing is known of. */
  readonly memoryBytes: number | null;
  readonly fits: boolean | null;
  readonly licence: string | null;
  readonly contextLength: number | null;
}

/** Share of the machine's memory that a model may take; the rest is the system's and the agent's. */
const usableShare = 0.9;

/** The catalogue and what was added, with what is here and what fits this machine. */
export async function listModels(cache: string, machineBytes: number): Promise<ListedModel[]> {
  const installed = await listInstalled(cache);
  const there = new Set(installed.map(({ id }) => id));
  const offered = catalogue.map((entry) => fromEntry(entry, there.has(entry.id), machineBytes));
  const offeredIds = new Set(offered.map(({ id }) => id));
  return [...offered, ...installed.filter(({ id }) => !offeredIds.has(id)).map(fromFile)];
}

function fromEntry(entry: CatalogueEntry, installed: boolean, machineBytes: number): ListedModel {
  const memoryBytes = memoryNeeded(entry);
  return {
    id: entry.id,
    title: entry.title,
    installed,
    sizeBytes: entry.file.sizeBytes,
    memoryBytes,
    fits: memoryBytes <= machineBytes * usableShare,
    licence: entry.licence,
    contextLength: Math.min(entry.trainedContextLength, entry.settings.contextTokens),
  };
}

function fromFile(model: InstalledModel): ListedModel {
  return {
    id: model.id,
    title: model.original.path,
    installed: true,
    sizeBytes: model.original.sizeBytes,
    memoryBytes: null,
    fits: null,
    licence: null,
    contextLength: null,
  };
}
