import { availableParallelism, cpus, totalmem } from "node:os";

/** What of a machine decides how fast an engine is on it. */
export interface Machine {
  readonly platform: string;
  readonly architecture: string;
  readonly processor: string;
  /** Threads that may run at once: what the process is allowed, not what the machine has. */
  readonly cores: number;
  readonly memoryBytes: number;
}

/** The machine this process runs on. */
export function currentMachine(): Machine {
  return {
    platform: process.platform,
    architecture: process.arch,
    processor: cpus()[0]?.model ?? "unknown",
    cores: availableParallelism(),
    memoryBytes: totalmem(),
  };
}

/** Processor time since the machine started, in milliseconds over all cores. */
export interface ProcessorTimes {
  readonly idleMs: number;
  readonly totalMs: number;
}

export function processorTimes(): ProcessorTimes {
  const all = cpus().map(({ times }) => times);
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return {
    idleMs: sum(all.map(({ idle }) => idle)),
    totalMs: sum(all.flatMap((times) => Object.values(times))),
  };
}

/** The share of the machine that was in use between two readings, 0 to 1. */
export function usedShare(before: ProcessorTimes, after: ProcessorTimes): number {
  const total = after.totalMs - before.totalMs;
  return total <= 0 ? 0 : 1 - (after.idleMs - before.idleMs) / total;
}
