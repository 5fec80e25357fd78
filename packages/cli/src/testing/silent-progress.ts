import type { PullProgress } from "../models/sources/model-fetch.ts";

/** Progress that nobody watches; it keeps the phases for a test to look at. */
export function silentProgress(): PullProgress & { readonly phases: string[]; readonly done: number[] } {
  const phases: string[] = [];
  const done: number[] = [];
  return { phases, done, phase: (text) => phases.push(text), bytes: (count) => done.push(count) };
}
