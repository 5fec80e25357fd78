import { availableParallelism } from "node:os";
import type { ServedModel } from "../../port/served-model.ts";
import type { ToChild } from "../wire/messages.ts";
import { unpackVocabulary } from "../wire/wire-vocabulary.ts";
import { ChildSupervisor } from "./driver/child-supervisor.ts";
import { LlamaEngine } from "./driver/llama-engine.ts";
import { LlamaTokenizer } from "./driver/llama-tokenizer.ts";

/** How to run one model. All counts in tokens unless said otherwise. */
export interface LlamaModelOptions {
  /** The name the model is served under. */
  readonly id: string;
  /** Path of its GGUF file. */
  readonly path: string;
  /** Cells of the KV cache. Default: four trained contexts, or what half of the free memory holds. */
  readonly contextTokens?: number;
  /** Most sequences resident at once, 1 to 256. Default 64. */
  readonly maxSequences?: number;
  /** Default: all that the machine offers. */
  readonly threads?: { readonly prefill: number; readonly decode: number };
  /** Most tokens of one evaluation. Default 512. */
  readonly batchTokens?: number;
  /** Most bytes of parked state in RAM. Default 1 GiB. */
  readonly parkedBytes?: number;
  /** Default on; deterministic mode goes without. */
  readonly flashAttention?: boolean;
  /** Run fewer threads where other processes take the cores. Default on; deterministic mode goes without. */
  readonly adaptThreads?: boolean;
  /** One sequence a batch, fixed chunks, no flash attention: equal prompts and seeds give equal tokens. */
  readonly deterministic?: boolean;
  /** Folder for the socket; created if need be. */
  readonly runFolder: string;
  readonly onLog?: (line: string) => void;
  /** Ends a start that is not over yet; a model that runs is ended by `close`. */
  readonly signal?: AbortSignal;
}

export interface LlamaModel extends ServedModel {
  /** Ends the child at once; running requests end with an error. */
  close(): Promise<void>;
  /** Process id of the running child; 0 while it restarts. */
  pid(): number;
}

const startTimeoutMs = 120_000;
const tokenizerPatienceMs = 30_000;

/**
 * Starts an engine child for one model and serves it. Throws `InferenceError`: `library_missing`,
 * `library_mismatch`, `model_missing`, `model_broken`, `model_unsupported`, `context_too_large`,
 * `engine_start_failed`. Rejects with the signal's reason.
 */
export async function startLlamaModel(options: LlamaModelOptions): Promise<LlamaModel> {
  const parkedBytes = options.parkedBytes ?? 1024 * 1024 * 1024;
  const threads = availableParallelism();
  const deterministic = options.deterministic ?? false;
  let engine: LlamaEngine | null = null;
  let tokenizer: LlamaTokenizer | null = null;
  const supervisor = new ChildSupervisor(
    {
      id: options.id,
      path: options.path,
      contextTokens: options.contextTokens ?? null,
      maxSequences: Math.max(1, Math.min(256, options.maxSequences ?? 64)),
      threads: options.threads ?? { prefill: threads, decode: threads },
      batchTokens: options.batchTokens ?? 512,
      parkedBytes,
      deterministic,
      flashAttention: !deterministic && (options.flashAttention ?? true),
      adaptThreads: !deterministic && (options.adaptThreads ?? true),
    },
    options.runFolder,
    {
      onMessage: (message) => {
        engine?.receive(message);
        tokenizer?.receive(message);
      },
      onStart: (child) => engine?.childStarted(child.greeting.identity),
      onEnd: () => {
        engine?.childEnded("The engine process ended: try again.");
        tokenizer?.childEnded();
      },
      onLog: options.onLog ?? (() => {}),
      startTimeoutMs,
    },
  );
  const { greeting } = await supervisor.start(options.signal);
  const { identity } = greeting;
  const send = (message: ToChild): boolean => {
    supervisor.child?.send(message);
    return supervisor.child !== null;
  };
  engine = new LlamaEngine(identity, parkedBytes, send, () => supervisor.close());
  tokenizer = new LlamaTokenizer(identity.tokenizer, unpackVocabulary(greeting.vocabulary), {
    ready: () => supervisor.ready(tokenizerPatienceMs),
    silent: () => supervisor.child?.kill(),
  });
  const served = engine;
  return {
    description: identity.description,
    engine: served,
    tokenizer,
    close: () => served.close(0),
    pid: () => supervisor.child?.pid ?? 0,
  };
}
