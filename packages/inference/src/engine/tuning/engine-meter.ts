import { InferenceError } from "../../errors.ts";
import type { Clock } from "../../port/clock.ts";
import type { ServedModel } from "../../port/served-model.ts";
import type { EngineTimings } from "../../port/token-engine.ts";
import { measurePrompt } from "./measure-prompt.ts";
import type { Tuning, TuningSample } from "./tuning.ts";

/** An engine that runs under one tuning. */
export type MeteredModel = Pick<ServedModel, "engine" | "tokenizer"> & { close(): Promise<void> };

export interface EngineMeterOptions {
  /** Starts an engine; it must give up when the signal aborts. */
  readonly start: (tuning: Tuning, signal: AbortSignal) => Promise<MeteredModel>;
  readonly clock: Clock;
  /** Milliseconds that all measurements together may take. */
  readonly budgetMs: number;
  readonly signal: AbortSignal;
  /** Keep each engine for its next turn; else memory for one at a time is enough. */
  readonly keepEngines: boolean;
}

const warmUp = { promptTokens: 64, decodeSteps: 4 };
const decodeSteps = 24;
/** The longest prompt that lets about this many measurements fit the budget is taken. */
const plannedSamples = 24;
const promptLengths = [512, 256, 128];
const shortestPrompt = 64;

/** Measures tunings on real engines, as long as its budget lasts. */
export class EngineMeter implements AsyncDisposable {
  readonly #options: EngineMeterOptions;
  readonly #deadline: number;
  readonly #engines = new Map<string, MeteredModel>();
  #promptTokens: number | null = null;
  #shortestMs: number | null = null;

  constructor(options: EngineMeterOptions) {
    this.#options = options;
    this.#deadline = options.clock.now() + options.budgetMs;
  }

  /** Null when the budget does not suffice for it. Rejects with the signal's reason, or as the engine fails. */
  async measure(tuning: Tuning): Promise<TuningSample | null> {
    const { clock, signal } = this.#options;
    const began = clock.now();
    if (began + (this.#shortestMs ?? 0) >= this.#deadline) return null;
    const done = new AbortController();
    const late = new AbortController();
    const both = AbortSignal.any([signal, late.signal]);
    clock.sleep(this.#deadline - began, done.signal).then(
      () => late.abort(),
      () => {},
    );
    try {
      const sample = await this.#run(tuning, both);
      const took = clock.now() - began;
      this.#shortestMs = Math.min(this.#shortestMs ?? took, took);
      return sample;
    } catch (error) {
      signal.throwIfAborted();
      if (late.signal.aborted) return null;
      throw error;
    } finally {
      done.abort();
    }
  }

  async #run(tuning: Tuning, signal: AbortSignal): Promise<TuningSample> {
    const name = JSON.stringify(tuning);
    const model = this.#engines.get(name) ?? (await this.#open(name, tuning, signal));
    const vocabulary = await model.tokenizer.vocabulary();
    const run = (prompt: number, steps: number): Promise<EngineTimings> =>
      measurePrompt(model.engine, vocabulary, prompt, steps, signal);
    try {
      await run(warmUp.promptTokens, warmUp.decodeSteps);
      this.#promptTokens ??= this.#affordable(await run(warmUp.promptTokens, warmUp.decodeSteps));
      const promptTokens = this.#promptTokens;
      const { prefill, decode } = await run(promptTokens, decodeSteps);
      return { tuning, promptTokens, decodeSteps, prefillMs: prefill, decodeMs: decode };
    } finally {
      if (!this.#options.keepEngines) await this.#close(name);
    }
  }

  async #open(name: string, tuning: Tuning, signal: AbortSignal): Promise<MeteredModel> {
    const model = await this.#options.start(tuning, signal);
    this.#engines.set(name, model);
    if (signal.aborted) throw new InferenceError("engine_closed", "The measurement was ended.");
    return model;
  }

  #affordable({ prefill }: EngineTimings): number {
    const msPerToken = prefill / warmUp.promptTokens;
    const most = this.#options.budgetMs / plannedSamples;
    return promptLengths.find((length) => length * msPerToken <= most) ?? shortestPrompt;
  }

  async #close(name: string): Promise<void> {
    const model = this.#engines.get(name);
    this.#engines.delete(name);
    await model?.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const name of [...this.#engines.keys()]) await this.#close(name);
  }
}
