import { stat } from "node:fs/promises";
import { isAbsolute, resolve } from "node:path";
import { CliError } from "../errors.ts";
import { idFromFileName } from "./add-model.ts";
import { catalogue, findEntry } from "./catalogue.ts";
import type { CatalogueEntry } from "./catalogue-entry.ts";
import { checkGguf } from "./check-gguf.ts";
import { listInstalled, readInstalled, servedFile } from "./installed-model.ts";

/** A model that can be loaded now. */
export interface ResolvedModel {
  readonly id: string;
  /** Absolute path of the GGUF file. */
  readonly path: string;
  /** Its catalogue entry, when it has one. */
  readonly entry: CatalogueEntry | null;
}

/**
 * What `--model ID|PATH` names. Nothing is pulled here: a model that is missing is an error with the command to run.
 * @throws CliError `model_unknown`, `model_missing`, `model_broken`
 */
export async function resolveModel(
  cache: string,
  name: string,
  workingFolder: string,
): Promise<ResolvedModel> {
  if (looksLikePath(name)) {
    const path = resolve(workingFolder, name);
    await checkGguf(path);
    return { id: idFromFileName(path), path, entry: null };
  }
  const entry = findEntry(name);
  const installed = await readInstalled(cache, name);
  if (installed !== null) {
    const path = servedFile(installed);
    if ((await stat(path).catch(() => null)) === null) {
      throw new CliError(
        "model_missing",
        `${path} is gone. Run: ${entry === null ? "slipstream models add FILE" : pullCommand(name)}`,
      );
    }
    await checkGguf(path);
    return { id: name, path, entry };
  }
  if (entry !== null)
    throw new CliError("model_missing", `${name} is not on this machine. Run: ${pullCommand(name)}`);
  const known = [...catalogue, ...(await listInstalled(cache))].map(({ id }) => id);
  const choice = [...new Set(known)].join(", ");
  throw new CliError(
    "model_unknown",
    `There is no model ${name}. Known: ${choice}. A file is named by its path.`,
  );
}

function pullCommand(id: string): string {
  return `slipstream models pull ${id}`;
}

function looksLikePath(name: string): boolean {
  return isAbsolute(name) || name.endsWith(".gguf") || /^\.{1,2}[\\/]/.test(name) || name.includes("/");
}
