import { availableParallelism } from "node:os";
import {
  createSimulatedModel,
  type LlamaModelOptions,
  type ServedModel,
  startLlamaModel,
  systemClock,
  type Tuning,
} from "@slipstream-stack/inference";
import type { Config } from "../config/schema.ts";
import { cacheFolder } from "../host/folders.ts";
import type { Host } from "../host/host.ts";
import { idFromFileName } from "../models/add-model.ts";
import { type ResolvedModel, resolveModel } from "../models/resolve-model.ts";
import { chooseTuning } from "./choose-tuning.ts";
import { describeTuning } from "./describe-tuning.ts";

/** A model behind an engine, ready to serve. */
export interface OpenedModel {
  readonly served: ServedModel;
  /** Whether a request would be served now; false while the engine restarts. */
  readonly isReady: () => boolean;
}

/** What opening a model tells and asks meanwhile. */
export interface OpenModelPorts {
  /** Folder for sockets. */
  readonly runFolder: string;
  /** Ends a measurement; the model opens all the same. */
  readonly signal: AbortSignal;
  /** A line of the engine child. */
  readonly onLog: (line: string) => void;
  /** A sentence for whoever starts the server. */
  readonly note: (text: string) => void;
}

/**
 * Opens the configured model: a child process with llama.cpp, or the simulated engine, which needs no file.
 * @throws CliError `model_unknown`, `model_missing`, `model_broken`; InferenceError
 */
export async function openModel(config: Config, host: Host, ports: OpenModelPorts): Promise<OpenedModel> {
  if (config.engine === "simulated") {
    const tokens = config.context_tokens;
    const size = tokens === null ? {} : { contextTokens: tokens, capacityTokens: tokens };
    const served = createSimulatedModel({ id: simulatedId(config.model), clock: systemClock, ...size });
    return { served, isReady: () => true };
  }
  const model = await resolveModel(cacheFolder(host), config.model, host.workingFolder);
  const { runFolder, signal, note, onLog } = ports;
  const { path } = model;
  const outcome = await chooseTuning({
    ...{ config, path, runFolder, signal, note },
    cacheFolder: cacheFolder(host),
  });
  if (outcome !== null) note(`Engine: ${describeTuning(outcome)}.`);
  const served = await startLlamaModel({
    ...llamaOptions(config, model, outcome?.tuning ?? null),
    runFolder,
    onLog,
  });
  return { served, isReady: () => served.pid() !== 0 };
}

function simulatedId(model: string): string {
  return model.includes("/") ? idFromFileName(model) : model;
}

/** Options of the engine child: what the configuration says, then what was measured, then what the catalogue advises. */
export function llamaOptions(
  config: Config,
  model: ResolvedModel,
  tuning: Tuning | null,
): Omit<LlamaModelOptions, "runFolder" | "onLog"> {
  const contextTokens = config.context_tokens ?? model.entry?.settings.contextTokens ?? null;
  const cores = availableParallelism();
  const prefill = config.prefill_threads ?? tuning?.threads.prefill ?? null;
  const decode = config.decode_threads ?? tuning?.threads.decode ?? null;
  const threads = { prefill: prefill ?? cores, decode: decode ?? cores };
  const batchTokens = config.batch_tokens ?? tuning?.batchTokens ?? null;
  const flashAttention = config.flash_attention ?? tuning?.flashAttention ?? null;
  return {
    id: model.id,
    path: model.path,
    deterministic: config.deterministic,
    ...(contextTokens === null ? {} : { contextTokens }),
    ...(config.max_sequences === null ? {} : { maxSequences: config.max_sequences }),
    ...(batchTokens === null ? {} : { batchTokens }),
    ...(flashAttention === null ? {} : { flashAttention }),
    ...(config.parked_bytes === null ? {} : { parkedBytes: config.parked_bytes }),
    ...(prefill === null && decode === null ? {} : { threads }),
  };
}
