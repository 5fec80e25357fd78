import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { identityHash } from "../llama/model/model-fingerprint.ts";
import type { Machine } from "./machine.ts";
import type { TuningSearch } from "./search-tuning.ts";
import type { Tuning } from "./tuning.ts";

/** Changes with the measurement itself: what another one found is measured anew. */
const version = 1;

/** What a measurement holds for: another machine, library or model file is measured anew. */
export interface TuningSubject {
  readonly machine: Machine;
  readonly library: string;
  readonly model: { readonly path: string; readonly bytes: number; readonly modifiedMs: number };
}

/** @throws the system's error when there is no such file */
export async function tuningSubject(machine: Machine, library: string, path: string): Promise<TuningSubject> {
  const { size, mtimeMs } = await stat(path);
  return { machine, library, model: { path, bytes: size, modifiedMs: mtimeMs } };
}

/** Where the tuning of `subject` lies: one file each, so that nobody overwrites another's. */
export function tuningFile(cacheFolder: string, subject: TuningSubject): string {
  return join(cacheFolder, "tuning", `${identityHash(JSON.stringify({ version, subject }))}.json`);
}

/** What was found for a subject; null where nothing was, or the file cannot be read as such. */
export async function readTuning(file: string): Promise<TuningSearch | null> {
  try {
    const { search } = JSON.parse(await readFile(file, "utf8")) as { search?: unknown };
    return isSearch(search) ? search : null;
  } catch {
    return null;
  }
}

/** Replaces the file as a whole: readers see the old or the new. */
export async function writeTuning(file: string, subject: TuningSubject, search: TuningSearch): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  await mkdir(dirname(file), { recursive: true });
  try {
    await writeFile(temporary, `${JSON.stringify({ version, subject, search }, null, 2)}\n`);
    await rename(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
}

function isSearch(value: unknown): value is TuningSearch {
  if (!isRecord(value) || typeof value.isComplete !== "boolean" || !Array.isArray(value.samples))
    return false;
  return isTuning(value.tuning) && value.samples.every(isSample);
}

function isSample(value: unknown): boolean {
  if (!isRecord(value) || !isTuning(value.tuning)) return false;
  const { promptTokens, decodeSteps, prefillMs, decodeMs } = value;
  return [promptTokens, decodeSteps].every(isCount) && [prefillMs, decodeMs].every(isTime);
}

function isTuning(value: unknown): value is Tuning {
  if (!isRecord(value) || !isRecord(value.threads) || typeof value.flashAttention !== "boolean") return false;
  return [value.threads.prefill, value.threads.decode, value.batchTokens].every(isCount);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 1;
}

function isTime(value: unknown): boolean {
  return typeof value === "number" && value >= 0;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
