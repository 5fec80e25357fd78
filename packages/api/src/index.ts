export { type CompactLimits, compactWindow } from "./compact/compact-window.ts";
export { loadOrCreateKey } from "./compact/seal-key.ts";
export { createSealer, type Sealer } from "./compact/sealer.ts";
export { type ApiOptions, createApi } from "./create-api.ts";
export { explainLap } from "./diagnostics/explain-lap.ts";
export { LapRing, type LapRingLimits } from "./diagnostics/lap-ring.ts";
export { type OutputGate, openGate } from "./egress/gate.ts";
export { ApiError, type ApiErrorCode } from "./errors.ts";
export type { ApiTechniques, Submit } from "./respond/dependencies.ts";
export type { Server } from "./server.ts";
export { createMemoryStore, type MemoryStoreOptions } from "./store/memory-store.ts";
export { createSqliteStore, type SqliteStoreOptions } from "./store/sqlite-store.ts";
export type {
  CommitResult,
  ItemPage,
  Page,
  ResponseWrite,
  SampledOutput,
  Store,
  StoredMark,
  StoredNode,
  StoredResponse,
} from "./store/store.ts";
export { type SweepPace, sweepRegularly } from "./store/sweep-regularly.ts";
export type { ForcedEncoding } from "./teacher-forcing/forced-tokens.ts";
export { type ForcedOutput, parseTrajectory, readTrajectory } from "./teacher-forcing/trajectory.ts";
export { type ApiKey, parseKeys } from "./transport/auth/keys.ts";
export { createCounters } from "./transport/create/counters.ts";
