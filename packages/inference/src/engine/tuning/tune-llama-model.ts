import { freemem } from "node:os";
import { type Clock, systemClock } from "../../port/clock.ts";
import { packageVersion } from "../llama/library/find-library.ts";
import { startLlamaModel } from "../llama/start-llama-model.ts";
import { currentMachine, processorTimes } from "./machine.ts";
import type { TuningSearch } from "./search-tuning.ts";
import { type TuningOutcome, tuneEngine } from "./tune-engine.ts";
import type { Tuning } from "./tuning.ts";
import { readTuning, tuningFile, tuningSubject } from "./tuning-cache.ts";

export interface TuneLlamaModelOptions {
  /** Path of the GGUF file. */
  readonly path: string;
  /** Folder for the sockets of the engines measured. */
  readonly runFolder: string;
  /** The user's cache folder. */
  readonly cacheFolder: string;
  readonly clock?: Clock;
  readonly signal: AbortSignal;
  /** Milliseconds that measuring may take. Default 15,000. */
  readonly budgetMs?: number;
  readonly onMeasure?: (budgetMs: number) => void;
}

/** A context just large enough for what is measured, in tokens. */
const contextTokens = 1_024;
/** So many engines of one model may be open at once while it is measured. */
const mostEngines = 6;
const memoryShare = 0.5;

/**
 * The fastest tuning of this machine for a model: found by an earlier start, or measured now on real engines.
 * Rejects with the signal's reason, or with the system's error where there is no such file.
 */
export async function tuneLlamaModel(options: TuneLlamaModelOptions): Promise<TuningOutcome> {
  const { path, runFolder } = options;
  const subject = await tuningSubject(currentMachine(), packageVersion, path);
  const start = (tuning: Tuning, signal: AbortSignal) =>
    startLlamaModel({
      id: "tuning",
      path,
      runFolder,
      contextTokens,
      maxSequences: 1,
      parkedBytes: 0,
      ...tuning,
      adaptThreads: false,
      signal,
    });
  const keepEngines = subject.model.bytes * mostEngines < freemem() * memoryShare;
  return tuneEngine(
    { ...options, subject },
    { clock: options.clock ?? systemClock, processorTimes, start, keepEngines },
  );
}

/** What an earlier start measured on this machine for a model; null where nothing was. */
export async function findTuning(cacheFolder: string, path: string): Promise<TuningSearch | null> {
  const subject = await tuningSubject(currentMachine(), packageVersion, path);
  return readTuning(tuningFile(cacheFolder, subject));
}
