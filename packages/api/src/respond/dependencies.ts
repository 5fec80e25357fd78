import type { Clock, EngineRequest, Hash, Scope, Ticket } from "@slipstream-stack/inference";
import type { LapRecord } from "@slipstream-stack/protocol";
import type { ChainIndex } from "../chain/chain-index.ts";
import type { ConnectionChains } from "../chain/connection-chains.ts";
import type { OutputGate } from "../egress/gate.ts";
import type { ModelRuntime } from "../plan/model-runtime.ts";
import type { SettingsCache } from "../settings/settings-cache.ts";
import type { Store } from "../store/store.ts";
import type { ForcedEncoding } from "../teacher-forcing/forced-tokens.ts";
import type { TeacherForcing } from "../teacher-forcing/teacher-forcing.ts";

/** The API-side techniques that can be switched off, alone or together (architecture, law 9). */
export interface ApiTechniques {
  readonly chain: boolean;
  readonly lineage: boolean;
  readonly incrementalRender: boolean;
  readonly incrementalTokenize: boolean;
  readonly prefixReuse: boolean;
  readonly fork: boolean;
  readonly settingsInheritance: boolean;
}

/** The one door to inference. A ticket may carry the routing decision that placed it. */
export type Submit = (
  model: string,
  request: EngineRequest,
) => Ticket & { readonly decision?: { readonly worker: string; readonly reason: string } | null };

/** Everything a response needs from outside: effects are ports, state is held here once. */
export interface RespondDependencies {
  readonly models: ReadonlyMap<string, ModelRuntime>;
  readonly submit: Submit;
  readonly chains: ChainIndex;
  readonly connections: ConnectionChains;
  readonly settings: SettingsCache;
  readonly store: Store;
  readonly laps: { add(scope: Scope, lap: LapRecord): void };
  readonly clock: Clock;
  readonly newId: (prefix: string) => string;
  /** Root of a scope's prefix hashes, made from its secret salt. */
  readonly rootOf: (scope: Scope) => Hash;
  readonly gate: () => OutputGate;
  readonly techniques: ApiTechniques;
  readonly teacher: { readonly forcing: TeacherForcing; readonly encoding: ForcedEncoding } | null;
  /** How long a prewarm may keep its client waiting before it is completed early, in milliseconds. */
  readonly prewarmWaitMs: number;
  /** How long a stored response lives, in milliseconds; null keeps it. */
  readonly storeTtlMs: number | null;
}
