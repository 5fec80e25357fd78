import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { CliError } from "../errors.ts";

const installedFileSchema = z.strictObject({
  /** Absolute path. */
  path: z.string(),
  sizeBytes: z.int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

const installedModelSchema = z.strictObject({
  schema: z.literal(1),
  id: z.string(),
  /** Where the file came from, for a person to read. */
  source: z.string(),
  /** Whether the hash was compared with one that was known before the pull. */
  verified: z.boolean(),
  original: installedFileSchema,
  /** Made here from the original, such as a requantised file; this one is served when it is there. */
  derived: installedFileSchema.nullable(),
});

/** What lies in the cache folder for one model: its record `model.json`. */
export type InstalledModel = z.infer<typeof installedModelSchema>;

/** What an id may be: safe as a file's name on every platform. */
export const idPattern = /^[a-z0-9][a-z0-9.-]*$/;

/**
 * The folder of one model below the cache folder.
 * @throws CliError `model_unknown` for an id that could name another folder
 */
export function modelFolder(cache: string, id: string): string {
  if (idPattern.test(id)) return join(cache, "models", id);
  throw new CliError("model_unknown", `${id} is no model id. See: slipstream models list`);
}

/** The file that an engine loads. */
export function servedFile(model: InstalledModel): string {
  return (model.derived ?? model.original).path;
}

/**
 * The record of a model, or null when it is not installed.
 * @throws CliError `model_broken` when the record is damaged
 */
export async function readInstalled(cache: string, id: string): Promise<InstalledModel | null> {
  const path = join(modelFolder(cache, id), "model.json");
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch {
    return null;
  }
  try {
    return installedModelSchema.parse(JSON.parse(text));
  } catch (error) {
    const advice = `Run: slipstream models remove ${id}`;
    throw new CliError("model_broken", `The record ${path} is damaged. ${advice}`, error);
  }
}

/** Every model with a readable record, by id. */
export async function listInstalled(cache: string): Promise<InstalledModel[]> {
  const ids = await readdir(join(cache, "models")).catch(() => []);
  const models = await Promise.all(ids.sort().map((id) => readInstalled(cache, id).catch(() => null)));
  return models.filter((model) => model !== null);
}

/** Writes the record last and in one step: a model without one is not installed, whatever files lie there. */
export async function writeInstalled(cache: string, model: InstalledModel): Promise<void> {
  const folder = modelFolder(cache, model.id);
  await mkdir(folder, { recursive: true });
  const temporary = join(folder, ".model.json.partial");
  await writeFile(temporary, `${JSON.stringify(model, null, 2)}\n`);
  await rename(temporary, join(folder, "model.json"));
}

/** Deletes what the cache folder holds of a model; a file added from elsewhere stays. False when there was nothing. */
export async function removeInstalled(cache: string, id: string): Promise<boolean> {
  const folder = modelFolder(cache, id);
  const found = await readdir(folder).catch(() => null);
  if (found === null) return false;
  await rm(folder, { recursive: true });
  return true;
}
