import type { Machine } from "./machine.ts";
import type { Tuning, TuningSample } from "./tuning.ts";

export function testMachine(cores: number): Machine {
  return { platform: "linux", architecture: "x64", processor: "test", cores, memoryBytes: 8 * 2 ** 30 };
}

/** What a machine would take for a tuning, in milliseconds: prefill scales with threads, decode soon does not. */
export interface MachineModel {
  readonly prefillMs: (threads: number) => number;
  readonly decodeMs: (threads: number) => number;
  readonly withoutFlash: number;
  readonly smallBatch: number;
}

export function sampleOf(machine: MachineModel, tuning: Tuning, noise: number): TuningSample {
  const factor =
    noise *
    (tuning.flashAttention ? 1 : machine.withoutFlash) *
    (tuning.batchTokens < 512 ? machine.smallBatch : 1);
  return {
    tuning,
    promptTokens: 512,
    decodeSteps: 24,
    prefillMs: machine.prefillMs(tuning.threads.prefill) * factor,
    decodeMs: machine.decodeMs(tuning.threads.decode) * noise,
  };
}
