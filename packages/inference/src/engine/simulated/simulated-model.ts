import { createHash } from "node:crypto";
import type { Clock } from "../../port/clock.ts";
import type { ServedModel } from "../../port/served-model.ts";
import type { EngineRequest } from "../../port/token-engine.ts";
import { lruWithHints } from "../../retention/lru-with-hints.ts";
import type { RetentionPolicy } from "../../retention/retention-policy.ts";
import { type CostModel, tinyCost } from "./cost-model.ts";
import { SimulatedEngine } from "./simulated-engine.ts";
import { SimulatedTokenizer } from "./simulated-tokenizer.ts";
import { simulatedVocabulary } from "./simulated-vocabulary.ts";

export interface SimulatedModelOptions {
  readonly id: string;
  readonly clock: Clock;
  /** Equal seeds give equal answers to equal prompts. Default 0. */
  readonly seed?: number;
  /** Tokens one request may span. Default 32,768, and never more than the capacity. */
  readonly contextTokens?: number;
  /** Tokens held resident. Default eight contexts. */
  readonly capacityTokens?: number;
  /** Tokens held parked besides. Default 0. */
  readonly parkedTokens?: number;
  readonly cost?: CostModel;
  readonly retention?: RetentionPolicy;
  /** Sequences in one step. Default 8. */
  readonly maxRunning?: number;
  /** Prompt tokens in one step. Default 512. */
  readonly chunkTokens?: number;
  /** Unread events at which a request stops decoding. Default 64. */
  readonly credit?: number;
  /** Milliseconds an ended ticket may stay unsettled. Default 60,000. */
  readonly leaseMs?: number;
  /** Milliseconds a request waits for a prefix that another one is prefilling. Default 30,000. */
  readonly joinMs?: number;
  /** Output ids for a request, an end-of-generation token following, or null for seeded words. */
  readonly script?: (request: EngineRequest) => Uint32Array | null;
}

/** A served model whose engine and tokenizer are simulated, with what only tests may do to them. */
export interface SimulatedModel extends ServedModel {
  readonly engine: SimulatedEngine;
  readonly tokenizer: SimulatedTokenizer;
}

/** A model that needs no files: the whole port, at a stated cost, from a seed. */
export function createSimulatedModel(options: SimulatedModelOptions): SimulatedModel {
  const tokenizer = new SimulatedTokenizer();
  const seed = options.seed ?? 0;
  const contextTokens = options.contextTokens ?? 32_768;
  const hot = options.capacityTokens ?? contextTokens * 8;
  const contextLength = Math.min(contextTokens, hot);
  const engine = new SimulatedEngine({
    id: options.id,
    seed,
    contextLength,
    capacity: { hot, ram: options.parkedTokens ?? 0 },
    cost: options.cost ?? tinyCost,
    clock: options.clock,
    retention: options.retention ?? lruWithHints,
    maxRunning: options.maxRunning ?? 8,
    chunkTokens: options.chunkTokens ?? 512,
    credit: options.credit ?? 64,
    leaseMs: options.leaseMs ?? 60_000,
    joinMs: options.joinMs ?? 30_000,
    modelHash: createHash("sha256").update(`simulated/${options.id}/${seed}`).digest("hex").slice(0, 32),
    tokenizerHash: tokenizer.fingerprint,
    vocabulary: simulatedVocabulary,
    script: options.script ?? (() => null),
  });
  return {
    description: {
      id: options.id,
      chatTemplate: null,
      trainedContextLength: contextLength,
      vocabularySize: simulatedVocabulary.pieces.length,
      beginOfText: null,
      endOfText: "<|im_end|>",
    },
    engine,
    tokenizer,
  };
}
