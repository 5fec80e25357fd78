import { mkdir, rename, rm, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { CliError } from "../errors.ts";
import type { CatalogueEntry, ModelSource } from "./catalogue-entry.ts";
import { checkGguf } from "./check-gguf.ts";
import { hashFile } from "./hash-file.ts";
import { holdLock } from "./hold-lock.ts";
import { type InstalledModel, modelFolder, readInstalled, writeInstalled } from "./installed-model.ts";
import { makeRoom, mapFileError } from "./map-file-error.ts";
import type { FetchedFile, FetchRequest, PullProgress } from "./sources/model-fetch.ts";

/** Effects of a pull. */
export interface PullPorts {
  readonly fetch: (request: FetchRequest) => Promise<FetchedFile>;
  /** Writes `source` as Q8_0 to `target`. */
  readonly requantise: (source: string, target: string) => Promise<void>;
  readonly freeBytes: (folder: string) => Promise<number>;
}

/** What to pull and where to. */
export interface PullRequest {
  readonly cache: string;
  readonly entry: CatalogueEntry;
  readonly progress: PullProgress;
  readonly signal: AbortSignal;
}

/** Bytes that a user of this process may still write on the disk of `folder`. */
export async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/**
 * Brings a model of the catalogue into the cache folder: fetch under a temporary name, check, rename, derive,
 * and only then record it. A model that is there is left alone.
 * @throws CliError with the code of what went wrong; of several sources the last one's
 */
export async function pullModel(request: PullRequest, ports: PullPorts): Promise<InstalledModel> {
  const { cache, entry, signal } = request;
  const there = await readInstalled(cache, entry.id);
  if (there !== null && (await filesStand(there))) return there;
  const folder = modelFolder(cache, entry.id);
  try {
    return await holdLock(folder, async () => {
      const { original, source, verified } = await bringOriginal(request, ports, folder);
      const derived = await derive(request, ports, original.path);
      const model: InstalledModel = { schema: 1, id: entry.id, source, verified, original, derived };
      signal.throwIfAborted();
      await writeInstalled(cache, model);
      return model;
    });
  } catch (error) {
    throw mapFileError(error, folder);
  }
}

async function filesStand(model: InstalledModel): Promise<boolean> {
  const files = [model.original, model.derived].filter((file) => file !== null);
  const sizes = await Promise.all(files.map(async ({ path }) => (await stat(path).catch(() => null))?.size));
  return files.every((file, index) => file.sizeBytes === sizes[index]);
}

async function bringOriginal(request: PullRequest, ports: PullPorts, folder: string) {
  const { entry, progress, signal } = request;
  await mkdir(folder, { recursive: true });
  await needSpace(entry, ports, folder);
  const path = join(folder, entry.file.name);
  const known = (await stat(path).catch(() => null)) !== null && entry.file.sha256 !== null;
  if (known) {
    progress.phase("Checking the file that is there", entry.file.sizeBytes);
    const sha256 = await hashFile(path, signal, progress.bytes);
    if (sha256 === entry.file.sha256) {
      const source = describeSource(entry.sources[0]);
      return { original: { path, sizeBytes: entry.file.sizeBytes, sha256 }, source, verified: true };
    }
  }
  const { fetched, source } = await fetchFromFirst(request, ports, folder);
  const sizeBytes = (await stat(fetched.path)).size;
  progress.phase("Checking", sizeBytes);
  const sha256 = await hashFile(fetched.path, signal, progress.bytes);
  const expected = entry.file.sha256 ?? fetched.sourceSha256;
  if (expected !== null && expected !== sha256) {
    await rm(fetched.path, { force: true });
    throw new CliError(
      "hash_mismatch",
      `${entry.file.name} arrived with another content than expected and was deleted. Pull again; if that does not help, its source has changed.`,
    );
  }
  await checkGguf(fetched.path);
  await rename(fetched.path, path);
  return {
    original: { path, sizeBytes, sha256 },
    source: describeSource(source),
    verified: expected !== null,
  };
}

/** Tries the sources in order; the last one's error is the pull's. */
async function fetchFromFirst({ entry, progress, signal }: PullRequest, ports: PullPorts, folder: string) {
  let last: unknown = new CliError("source_missing", `${entry.id} has no source.`);
  for (const source of entry.sources) {
    try {
      const request = { source, folder, expectedBytes: entry.file.sizeBytes, progress, signal };
      return { fetched: await ports.fetch(request), source };
    } catch (error) {
      signal.throwIfAborted();
      last = error;
      if (!CliError.isInstance(error) || error.code === "disk_full") break;
    }
  }
  throw last;
}

async function derive({ entry, progress, signal }: PullRequest, ports: PullPorts, original: string) {
  if (entry.derived === null) return null;
  const path = join(original, "..", entry.derived.name);
  const partial = `${path}.partial`;
  await rm(partial, { force: true });
  progress.phase(`Converting to ${entry.derived.type}`, null);
  await ports.requantise(original, partial);
  await checkGguf(partial);
  const sha256 = await hashFile(partial, signal);
  const sizeBytes = (await stat(partial)).size;
  await rename(partial, path);
  return { path, sizeBytes, sha256 };
}

async function needSpace(entry: CatalogueEntry, ports: PullPorts, folder: string): Promise<void> {
  const packed = entry.sources[0]?.kind === "pip" ? entry.file.sizeBytes : 0;
  const needed = entry.file.sizeBytes + packed + (entry.derived?.sizeBytes ?? 0);
  const free = await ports.freeBytes(folder);
  if (free >= needed) return;
  const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6)} MB`;
  throw new CliError(
    "disk_full",
    `${entry.id} needs ${megabytes(needed)}, ${folder} has ${megabytes(free)} left. ${makeRoom}`,
  );
}

/** A source in words. */
export function describeSource(source: ModelSource | undefined): string {
  if (source === undefined) return "unknown";
  return source.kind === "pip"
    ? `pip package ${source.package} ${source.version}`
    : `hub repository ${source.repository} at ${source.revision}`;
}
