import { availableParallelism } from "node:os";
import {
  createSimulatedModel,
  type LlamaModelOptions,
  type ServedModel,
  startLlamaModel,
  systemClock,
} from "@slipstream-stack/inference";
import type { Config } from "../config/schema.ts";
import { cacheFolder } from "../host/folders.ts";
import type { Host } from "../host/host.ts";
import { idFromFileName } from "../models/add-model.ts";
import { type ResolvedModel, resolveModel } from "../models/resolve-model.ts";

/** A model behind an engine, ready to serve. */
export interface OpenedModel {
  readonly served: ServedModel;
  /** Whether a request would be served now; false while the engine restarts. */
  readonly isReady: () => boolean;
}

/**
 * Opens the configured model: a child process with llama.cpp, or the simulated engine, which needs no file.
 * @throws CliError `model_unknown`, `model_missing`, `model_broken`; InferenceError
 */
export async function openModel(
  config: Config,
  host: Host,
  runFolder: string,
  onLog: (line: string) => void,
): Promise<OpenedModel> {
  if (config.engine === "simulated") {
    const tokens = config.context_tokens;
    const size = tokens === null ? {} : { contextTokens: tokens, capacityTokens: tokens };
    const served = createSimulatedModel({ id: simulatedId(config.model), clock: systemClock, ...size });
    return { served, isReady: () => true };
  }
  const model = await resolveModel(cacheFolder(host), config.model, host.workingFolder);
  const served = await startLlamaModel(llamaOptions(config, model, runFolder, onLog));
  return { served, isReady: () => served.pid() !== 0 };
}

function simulatedId(model: string): string {
  return model.includes("/") ? idFromFileName(model) : model;
}

/** Options of the engine child: what the configuration says, then what the catalogue advises. */
export function llamaOptions(
  config: Config,
  model: ResolvedModel,
  runFolder: string,
  onLog: (line: string) => void,
): LlamaModelOptions {
  const contextTokens = config.context_tokens ?? model.entry?.settings.contextTokens ?? null;
  const cores = availableParallelism();
  const { prefill_threads: prefill, decode_threads: decode } = config;
  const threads = { prefill: prefill ?? cores, decode: decode ?? cores };
  return {
    id: model.id,
    path: model.path,
    runFolder,
    onLog,
    deterministic: config.deterministic,
    ...(contextTokens === null ? {} : { contextTokens }),
    ...(config.max_sequences === null ? {} : { maxSequences: config.max_sequences }),
    ...(config.batch_tokens === null ? {} : { batchTokens: config.batch_tokens }),
    ...(config.parked_bytes === null ? {} : { parkedBytes: config.parked_bytes }),
    ...(prefill === null && decode === null ? {} : { threads }),
  };
}
