export { findLibrary, type LibraryFiles } from "./engine/llama/library/find-library.ts";
export { inspectLibrary, type LibraryReport } from "./engine/llama/library/inspect-library.ts";
export { requantise } from "./engine/llama/quantise/requantise.ts";
export {
  type LlamaModel,
  type LlamaModelOptions,
  startLlamaModel,
} from "./engine/llama/start-llama-model.ts";
export { type CostModel, noCost, tinyCost } from "./engine/simulated/cost-model.ts";
export {
  createSimulatedModel,
  type SimulatedModel,
  type SimulatedModelOptions,
} from "./engine/simulated/simulated-model.ts";
export type { TuningSearch } from "./engine/tuning/search-tuning.ts";
export type { TuningOutcome } from "./engine/tuning/tune-engine.ts";
export { findTuning, type TuneLlamaModelOptions, tuneLlamaModel } from "./engine/tuning/tune-llama-model.ts";
export type { Tuning, TuningSample } from "./engine/tuning/tuning.ts";
export { InferenceError, type InferenceErrorCode } from "./errors.ts";
export { createInference, type Inference, type InferenceOptions } from "./inference.ts";
export { hashBlockSize, hashCounters, linkHash, PrefixHasher, scopeRoot } from "./kv/prefix-hash.ts";
export { type Clock, systemClock } from "./port/clock.ts";
export type { Constraint, ConstraintSource, DecodeProgram, Sampling } from "./port/decode-program.ts";
export type { KvEvent } from "./port/kv-event.ts";
export type { Hash, PrefixRef, RopeView, Scope } from "./port/prefix.ts";
export type { ModelDescription, ServedModel } from "./port/served-model.ts";
export type { Tier } from "./port/tier.ts";
export type {
  EngineCapability,
  EngineErrorCode,
  EngineEvent,
  EngineInfo,
  EngineRequest,
  EngineTimings,
  LoadReport,
  RetentionHint,
  Ticket,
  TokenEngine,
} from "./port/token-engine.ts";
export type { TextSegment, Tokenizer, Vocabulary } from "./port/tokenizer.ts";
export { lruWithHints } from "./retention/lru-with-hints.ts";
export type { RetentionEntry, RetentionPolicy } from "./retention/retention-policy.ts";
export { type RouteDecision, type RouteReason, route, type WorkerView } from "./router/route.ts";
export type { RoutedTicket } from "./scheduler/routed-ticket.ts";
