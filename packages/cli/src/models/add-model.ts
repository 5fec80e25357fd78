import { stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { CliError } from "../errors.ts";
import { checkGguf } from "./check-gguf.ts";
import { hashFile } from "./hash-file.ts";
import { type InstalledModel, idPattern, readInstalled, writeInstalled } from "./installed-model.ts";
import { mapFileError } from "./map-file-error.ts";
import type { PullProgress } from "./sources/model-fetch.ts";

/** A local file to be known under an id. */
export interface AddRequest {
  readonly cache: string;
  readonly path: string;
  /** Null: made from the file's name. */
  readonly id: string | null;
  readonly progress: PullProgress;
  readonly signal: AbortSignal;
}

/** An id from a file name: `My Model.Q4_K_M.gguf` is `my-model.q4-k-m`. */
export function idFromFileName(path: string): string {
  const name = basename(path).replace(/\.gguf$/i, "");
  return (
    name
      .toLowerCase()
      .replace(/[^a-z0-9.]+/g, "-")
      .replace(/^[-.]+|[-.]+$/g, "") || "model"
  );
}

/**
 * Makes a GGUF file of the user known by an id; the file stays where it is.
 * @throws CliError `model_broken`, `model_missing`, `model_not_added` when the id is taken by another file
 */
export async function addModel(request: AddRequest): Promise<InstalledModel> {
  const path = resolve(request.path);
  const id = request.id ?? idFromFileName(path);
  if (!idPattern.test(id)) {
    throw new CliError(
      "model_not_added",
      `${id} cannot be an id: use lower-case letters, digits, "." and "-".`,
    );
  }
  await checkGguf(path);
  const there = await readInstalled(request.cache, id);
  if (there !== null && there.original.path !== path) {
    throw new CliError(
      "model_not_added",
      `${id} is ${there.original.path} already. Choose another with --id.`,
    );
  }
  const sizeBytes = (await stat(path)).size;
  request.progress.phase("Hashing", sizeBytes);
  const sha256 = await hashFile(path, request.signal, request.progress.bytes);
  const original = { path, sizeBytes, sha256 };
  const model: InstalledModel = {
    schema: 1,
    id,
    source: "local file",
    verified: false,
    original,
    derived: null,
  };
  try {
    await writeInstalled(request.cache, model);
  } catch (error) {
    throw mapFileError(error, request.cache);
  }
  return model;
}
