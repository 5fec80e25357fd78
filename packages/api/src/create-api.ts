import type { Clock, Hash, Scope, ServedModel } from "@slipstream-stack/inference";
import { scopeRoot } from "@slipstream-stack/inference";
import type { LapRecord } from "@slipstream-stack/protocol";
import type { Registry } from "prom-client";
import { ChainIndex } from "./chain/chain-index.ts";
import { ConnectionChains } from "./chain/connection-chains.ts";
import { createCompact } from "./compact/create-compact.ts";
import type { Sealer } from "./compact/sealer.ts";
import { addStateGauges } from "./diagnostics/state-gauges.ts";
import { type OutputGate, openGate } from "./egress/gate.ts";
import type { ModelListing } from "./models/model-listing.ts";
import { ModelRuntime } from "./plan/model-runtime.ts";
import { chooseDialect } from "./render/choose-dialect.ts";
import { countInputTokens } from "./respond/count-input-tokens.ts";
import { createRespond, observeConnections } from "./respond/create-respond.ts";
import type { ApiTechniques, RespondDependencies, Submit } from "./respond/dependencies.ts";
import { wholeHistory } from "./respond/resolve-request.ts";
import { storedResponses } from "./respond/stored-responses.ts";
import { createServer, type Server } from "./server.ts";
import { SettingsCache } from "./settings/settings-cache.ts";
import type { Store } from "./store/store.ts";
import type { ForcedEncoding } from "./teacher-forcing/forced-tokens.ts";
import { TeacherForcing } from "./teacher-forcing/teacher-forcing.ts";
import type { ForcedOutput } from "./teacher-forcing/trajectory.ts";
import type { ApiKey } from "./transport/auth/keys.ts";
import type { TransportLimits } from "./transport/limits.ts";
import type { Logger } from "./transport/request-log.ts";

/** Bytes of distinct settings kept, tools included. */
const settingsBytes = 64 * 1024 * 1024;

/** What the API server is made of. Sizes in bytes, times in milliseconds. */
export interface ApiOptions {
  readonly models: readonly ServedModel[];
  readonly submit: Submit;
  readonly store: Store;
  readonly laps: {
    add(scope: Scope, lap: LapRecord): void;
    find(scope: Scope, id: string): LapRecord | null;
    gauges(): { readonly records: number; readonly bytes: number };
  };
  readonly clock: Clock;
  readonly newId: (prefix: string) => string;
  /** Secret from which each scope's prefix-hash root is made. */
  readonly salt: Uint8Array;
  /** Seals and opens the summaries of compaction items. */
  readonly sealer: Sealer;
  readonly techniques: ApiTechniques & { readonly websocket: boolean };
  readonly trajectory: { readonly lines: readonly ForcedOutput[]; readonly encoding: ForcedEncoding } | null;
  readonly gate?: () => OutputGate;
  readonly chainBytes: number;
  readonly prewarmWaitMs: number;
  readonly storeTtlMs: number | null;
  readonly keys: readonly ApiKey[];
  readonly origins: readonly string[];
  readonly hosts: readonly string[];
  readonly limits?: Partial<TransportLimits>;
  readonly logger: Logger;
  readonly metrics: Registry;
  readonly isReady: () => boolean;
}

/** Wires the pipeline to its transports. Nothing listens until `listen`. */
export async function createApi(options: ApiOptions): Promise<Server> {
  const dependencies = await respondDependencies(options);
  const { store, laps, sealer, newId, clock } = options;
  addStateGauges(options.metrics, dependencies.chains, laps);
  const respond = createRespond(dependencies);
  return createServer({
    respond,
    countInputTokens: (incoming) => countInputTokens(dependencies, incoming),
    compact: createCompact({
      respond,
      history: (incoming) => wholeHistory(dependencies, incoming),
      sealer,
      newId,
      wallClock: () => clock.wallClock(),
    }),
    stored: storedResponses(dependencies),
    laps: { find: async (scope, id) => laps.find(scope, id) ?? (await store.lap(scope, id)) },
    models: options.models.map((model) => listingOf(model, options.clock)),
    isReady: options.isReady,
    connections: observeConnections(dependencies),
    keys: options.keys,
    origins: options.origins,
    hosts: options.hosts,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    webSocket: options.techniques.websocket,
    settingsInheritance: options.techniques.settingsInheritance,
    clock,
    newId,
    logger: options.logger,
    metrics: options.metrics,
  });
}

function listingOf({ description, engine }: ServedModel, clock: Clock): ModelListing {
  return {
    id: description.id,
    created: Math.floor(clock.wallClock() / 1000),
    ownedBy: "slipstream",
    displayName: description.id,
    contextLength: engine.info().contextLength,
    freeformApplyPatch: false,
  };
}

/**
 * The state behind the pipeline, made once for a server.
 * @throws ApiError dialect_broken where a model's template cannot be used.
 */
export async function respondDependencies(options: ApiOptions): Promise<RespondDependencies> {
  const models = new Map<string, ModelRuntime>();
  for (const model of options.models) {
    const vocabulary = await model.tokenizer.vocabulary();
    const { dialect } = chooseDialect(model.description, vocabulary, (item) =>
      options.sealer.open(item.encrypted_content),
    );
    models.set(model.description.id, new ModelRuntime(model, dialect, vocabulary));
  }
  const roots = new Map<Scope, Hash>();
  return {
    models,
    submit: options.submit,
    chains: new ChainIndex(options.chainBytes),
    connections: new ConnectionChains(),
    settings: new SettingsCache(settingsBytes),
    store: options.store,
    laps: options.laps,
    clock: options.clock,
    newId: options.newId,
    rootOf: (scope) => {
      const root = roots.get(scope) ?? scopeRoot(options.salt, scope);
      roots.set(scope, root);
      return root;
    },
    gate: options.gate ?? (() => openGate),
    techniques: options.techniques,
    teacher:
      options.trajectory === null
        ? null
        : { forcing: new TeacherForcing(options.trajectory.lines), encoding: options.trajectory.encoding },
    prewarmWaitMs: options.prewarmWaitMs,
    storeTtlMs: options.storeTtlMs,
  };
}
