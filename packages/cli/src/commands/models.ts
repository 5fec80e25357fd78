import type { Command } from "commander";
import { CliError } from "../errors.ts";
import { cacheFolder } from "../host/folders.ts";
import { catalogue, findEntry } from "../models/catalogue.ts";
import { memoryNeeded } from "../models/catalogue-entry.ts";
import { readInstalled, removeInstalled, servedFile } from "../models/installed-model.ts";
import { listModels } from "../models/list-models.ts";
import { describeSource } from "../models/pull-model.ts";
import type { CommandContext } from "../terminal/command-context.ts";
import { formatTable } from "../terminal/format-table.ts";
import { formatBytes, progressBar } from "../terminal/progress-bar.ts";
import type { DefineCommand } from "./define-command.ts";

export const define: DefineCommand = (command, context, done) => {
  const leaf = (name: string, description: string): Command =>
    command.command(name).description(description).copyInheritedSettings(command);
  leaf("list", "models on offer, what is here and what fits this machine")
    .option("--json", "print them as JSON")
    .action(async (options: { json?: boolean }) => done(await list(context, options.json === true)));
  leaf("pull <id>", "download a model of the catalogue").action(async (id: string) =>
    done(await pull(context, id)),
  );
  leaf("add <file>", "make a GGUF file known under an id; the file stays where it is")
    .option("--id <id>", "id to use (made from the file's name)")
    .action(async (file: string, options: { id?: string }) =>
      done(await add(context, file, options.id ?? null)),
    );
  leaf("remove <id>", "delete a model's files from the cache folder").action(async (id: string) =>
    done(await remove(context, id)),
  );
  leaf("show <id>", "everything known of a model, as JSON").action(async (id: string) =>
    done(await show(context, id)),
  );
};

async function list(context: CommandContext, json: boolean): Promise<number> {
  const models = await listModels(cacheFolder(context.host), context.host.memoryBytes);
  if (json) {
    context.out(`${JSON.stringify(models, null, 2)}\n`);
    return 0;
  }
  const fits = (value: boolean | null): string => (value === null ? "?" : value ? "yes" : "no");
  const rows = models.map((model) => [
    model.id,
    model.installed ? "here" : "-",
    formatBytes(model.sizeBytes),
    model.memoryBytes === null ? "?" : formatBytes(model.memoryBytes),
    fits(model.fits),
    model.contextLength === null ? "?" : String(model.contextLength),
    model.licence ?? "?",
    model.title,
  ]);
  context.out(
    formatTable([["ID", "STATE", "SIZE", "MEMORY", "FITS", "CONTEXT", "LICENCE", "MODEL"], ...rows]),
  );
  return 0;
}

async function pull(context: CommandContext, id: string): Promise<number> {
  const entry = findEntry(id);
  if (entry === null) {
    const choice = catalogue.map((candidate) => candidate.id).join(", ");
    throw new CliError(
      "model_unknown",
      `There is no ${id} in the catalogue. It has: ${choice}. Own files: slipstream models add FILE`,
    );
  }
  const { pullWithProgress } = await import("../models/pull-with-progress.ts");
  const model = await pullWithProgress(entry, context, context.interrupt());
  context.out(`${id} ${servedFile(model)}\n`);
  return 0;
}

async function add(context: CommandContext, file: string, id: string | null): Promise<number> {
  const { addModel } = await import("../models/add-model.ts");
  const progress = progressBar({
    write: context.note,
    isTerminal: context.isTerminal,
    now: () => performance.now(),
  });
  try {
    const cache = cacheFolder(context.host);
    const model = await addModel({ cache, path: file, id, progress, signal: context.interrupt() });
    context.out(`${model.id} ${servedFile(model)}\n`);
    return 0;
  } finally {
    progress.end();
  }
}

async function remove(context: CommandContext, id: string): Promise<number> {
  if (!(await removeInstalled(cacheFolder(context.host), id))) {
    throw new CliError("model_missing", `${id} is not on this machine. See: slipstream models list`);
  }
  context.out(`${id} removed\n`);
  return 0;
}

async function show(context: CommandContext, id: string): Promise<number> {
  const entry = findEntry(id);
  const installed = await readInstalled(cacheFolder(context.host), id);
  if (entry === null && installed === null) {
    throw new CliError("model_unknown", `There is no model ${id}. See: slipstream models list`);
  }
  const offered =
    entry === null
      ? null
      : {
          ...entry,
          memoryBytes: memoryNeeded(entry),
          sources: entry.sources.map((source) => describeSource(source)),
        };
  context.out(`${JSON.stringify({ id, catalogue: offered, installed }, null, 2)}\n`);
  return 0;
}
