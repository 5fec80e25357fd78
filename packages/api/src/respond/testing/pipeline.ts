import {
  createInference,
  createSimulatedModel,
  type Inference,
  noCost,
  type SimulatedModel,
  type SimulatedModelOptions,
  systemClock,
} from "@slipstream-stack/inference";
import {
  type CreateRequest,
  createRequestSchema,
  type EventBody,
  type LapRecord,
  type ResponseObject,
} from "@slipstream-stack/protocol";
import { pino } from "pino";
import { Registry } from "prom-client";
import { createSealer } from "../../compact/sealer.ts";
import { type ApiOptions, respondDependencies } from "../../create-api.ts";
import { createMemoryStore } from "../../store/memory-store.ts";
import { createRespond } from "../create-respond.ts";
import type { RespondDependencies } from "../dependencies.ts";

/** One answered request as a test looks at it. */
export interface Answered {
  readonly response: ResponseObject;
  readonly events: readonly EventBody[];
  readonly lap: LapRecord | undefined;
}

/** The whole pipeline on the simulated engine, without a transport. */
export interface Pipeline {
  readonly dependencies: RespondDependencies;
  readonly model: SimulatedModel;
  readonly inference: Inference;
  readonly laps: ReadonlyMap<string, LapRecord>;
  /** Prompts the engine was given, in order. */
  readonly prompts: readonly Uint32Array[];
  create(request: Partial<CreateRequest>, how?: How): Promise<Answered>;
  close(): Promise<void>;
}

export interface How {
  readonly scope?: string;
  readonly connection?: string;
  readonly lane?: string;
  readonly signal?: AbortSignal;
  readonly inherit?: string;
  readonly transport?: LapRecord["transport"];
}

export const allTechniques = {
  chain: true,
  lineage: true,
  incrementalRender: true,
  incrementalTokenize: true,
  prefixReuse: true,
  fork: true,
  settingsInheritance: true,
  websocket: true,
};

export async function pipeline(
  overrides: Partial<ApiOptions> = {},
  engine: Partial<SimulatedModelOptions> = {},
): Promise<Pipeline> {
  const model = createSimulatedModel({ id: "sim", clock: systemClock, cost: noCost, ...engine });
  const inference = createInference({ models: [model], clock: systemClock });
  const laps = new Map<string, LapRecord>();
  const prompts: Uint32Array[] = [];
  let ids = 0;
  const dependencies = await respondDependencies({
    models: [model],
    submit: (id, request) => {
      prompts.push(request.prompt.slice(0));
      return inference.submit(id, request);
    },
    store: createMemoryStore(),
    laps: {
      add: (_scope, lap) => laps.set(lap.response_id, lap),
      find: () => null,
      gauges: () => ({ records: laps.size, bytes: 0 }),
    },
    clock: systemClock,
    newId: (prefix) => `${prefix}_${++ids}`,
    salt: new Uint8Array(16),
    sealer: createSealer(new Uint8Array(32)),
    techniques: allTechniques,
    trajectory: null,
    chainBytes: 100_000_000,
    prewarmWaitMs: 10_000,
    storeTtlMs: null,
    keys: [],
    origins: [],
    hosts: [],
    logger: pino({ level: "silent" }),
    metrics: new Registry(),
    isReady: () => true,
    ...overrides,
  });
  const respond = createRespond(dependencies);
  return {
    dependencies,
    model,
    inference,
    laps,
    prompts,
    async create(request, how = {}) {
      const events: EventBody[] = [];
      const full = how.inherit === undefined ? { model: "sim", ...request } : { model: "", ...request };
      const body = how.inherit === undefined ? createRequestSchema.parse(full) : (request as CreateRequest);
      const response = await respond(
        {
          request: body,
          settingsKey: JSON.stringify({ ...body, input: null, previous_response_id: null }),
          scope: how.scope ?? "default",
          connection: how.connection === undefined ? null : { id: how.connection, lane: how.lane ?? "" },
          transport: how.transport ?? (how.connection === undefined ? "sse" : "websocket"),
          bytesIn: 0,
          bytesOut: () => 0,
          parseMs: 0,
          inherit: how.inherit ?? null,
          headers: {},
          signal: how.signal ?? new AbortController().signal,
        },
        async (event) => {
          events.push(event);
        },
      );
      return { response, events, lap: laps.get(response.id) };
    },
    close: () => inference.close(0),
  };
}

/** The code of the wire error a promise rejects with. */
export async function codeOf(run: Promise<unknown>): Promise<string> {
  try {
    await run;
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
  return "nothing thrown";
}
