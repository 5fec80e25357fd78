import type { Clock } from "../../port/clock.ts";
import { EngineMeter, type MeteredModel } from "./engine-meter.ts";
import { type ProcessorTimes, usedShare } from "./machine.ts";
import { takeMeasuringLock } from "./measuring-lock.ts";
import { searchTuning, type TuningSearch } from "./search-tuning.ts";
import { defaultTuning, type Tuning } from "./tuning.ts";
import { readTuning, type TuningSubject, tuningFile, writeTuning } from "./tuning-cache.ts";

/** Where a tuning comes from; `default` with the reason why nothing was measured. */
export type TuningOrigin =
  | { readonly kind: "measured" | "cached"; readonly search: TuningSearch }
  | { readonly kind: "default"; readonly reason: "machine_busy" | "measured_elsewhere" | "failed" };

export interface TuningOutcome {
  readonly tuning: Tuning;
  readonly origin: TuningOrigin;
}

export interface TuneEngineOptions {
  readonly subject: TuningSubject;
  /** Folder of what was found, kept for the next start. */
  readonly cacheFolder: string;
  /** Milliseconds that measuring may take. Default 15,000. */
  readonly budgetMs?: number;
  readonly signal: AbortSignal;
  /** Told when measuring begins; a start that finds its tuning says nothing. */
  readonly onMeasure?: (budgetMs: number) => void;
}

/** What tuning needs of the world. */
export interface TuneEnginePorts {
  readonly clock: Clock;
  readonly processorTimes: () => ProcessorTimes;
  readonly start: (tuning: Tuning, signal: AbortSignal) => Promise<MeteredModel>;
  /** Whether several engines at once leave enough memory free. */
  readonly keepEngines: boolean;
}

const usualBudgetMs = 15_000;
/** How long the machine is watched before a measurement, milliseconds. */
const watchMs = 300;
/** On a machine in use beyond this share what is measured is the other programs. */
const busyShare = 0.3;
const pollMs = 200;

/**
 * The tuning for an engine: found before, or measured now and kept. Tuning never stands in the way of a start:
 * what fails leaves the defaults, and the next start tries again. Rejects with the signal's reason only.
 */
export async function tuneEngine(options: TuneEngineOptions, ports: TuneEnginePorts): Promise<TuningOutcome> {
  const { signal, subject } = options;
  signal.throwIfAborted();
  const file = tuningFile(options.cacheFolder, subject);
  const usual = defaultTuning(subject.machine.cores);
  try {
    return (await readOutcome(file)) ?? (await measureAlone(file, usual, options, ports));
  } catch {
    signal.throwIfAborted();
    return { tuning: usual, origin: { kind: "default", reason: "failed" } };
  }
}

async function readOutcome(file: string): Promise<TuningOutcome | null> {
  const search = await readTuning(file);
  return search === null ? null : { tuning: search.tuning, origin: { kind: "cached", search } };
}

async function measureAlone(
  file: string,
  usual: Tuning,
  options: TuneEngineOptions,
  ports: TuneEnginePorts,
): Promise<TuningOutcome> {
  const budgetMs = options.budgetMs ?? usualBudgetMs;
  const lock = await takeMeasuringLock(`${file}.lock`);
  if (lock === null) {
    const found = await waitForOther(file, budgetMs, options.signal, ports.clock);
    return found ?? { tuning: usual, origin: { kind: "default", reason: "measured_elsewhere" } };
  }
  await using _lock = lock;
  // The other may have ended between the first look and the lock.
  const found = await readOutcome(file);
  if (found !== null) return found;
  if (await isBusy(options.signal, ports)) {
    return { tuning: usual, origin: { kind: "default", reason: "machine_busy" } };
  }
  options.onMeasure?.(budgetMs);
  const { start, clock, keepEngines } = ports;
  await using meter = new EngineMeter({ start, clock, budgetMs, signal: options.signal, keepEngines });
  const search = await searchTuning(options.subject.machine.cores, (tuning) => meter.measure(tuning));
  await writeTuning(file, options.subject, search);
  return { tuning: search.tuning, origin: { kind: "measured", search } };
}

/** Measuring beside another measurement would spoil both: its result is waited for. */
async function waitForOther(
  file: string,
  budgetMs: number,
  signal: AbortSignal,
  clock: Clock,
): Promise<TuningOutcome | null> {
  const until = clock.now() + budgetMs;
  for (;;) {
    const found = await readOutcome(file);
    if (found !== null || clock.now() >= until) return found;
    await clock.sleep(pollMs, signal);
  }
}

async function isBusy(signal: AbortSignal, { clock, processorTimes }: TuneEnginePorts): Promise<boolean> {
  const before = processorTimes();
  await clock.sleep(watchMs, signal);
  return usedShare(before, processorTimes()) > busyShare;
}
