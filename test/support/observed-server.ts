import {
  createApi,
  createMemoryStore,
  createSealer,
  type ForcedEncoding,
  parseTrajectory,
} from "@slipstream-stack/api";
import {
  createInference,
  createSimulatedModel,
  type EngineEvent,
  type ServedModel,
  startLlamaModel,
  systemClock,
} from "@slipstream-stack/inference";
import type { LapRecord } from "@slipstream-stack/protocol";
import { pino } from "pino";
import { Registry } from "prom-client";
import { cacheFolder } from "../../packages/cli/src/host/folders.ts";
import { currentHost } from "../../packages/cli/src/host/host.ts";
import { resolveModel } from "../../packages/cli/src/models/resolve-model.ts";
import { scratchFolder } from "./scratch-folder.ts";
import { type ForcedLine, realModel } from "./serve.ts";

/** What the engine was given and gave for one response. */
export interface Observation {
  readonly prompt: Uint32Array;
  /** Sampled or forced ids, the stop token included. */
  readonly ids: number[];
  /** Those of them that belong to the output; all while it runs, and where it never ended. */
  output: readonly number[];
  readonly forced: Uint32Array | null;
}

/** A whole server in this process, behind real sockets, that lets a test see the tokens of its engine. */
export interface ObservedServer extends AsyncDisposable {
  /** Without `/v1`. */
  readonly root: string;
  readonly model: string;
  readonly served: ServedModel;
  observed(responseId: string): Observation;
  lap(responseId: string): LapRecord;
}

const longLimit = 1_000_000_000;
const prewarmWaitMs = 10_000;

/** The embedded model behind its own engine process. */
export async function openRealModel(): Promise<{ served: ServedModel } & AsyncDisposable> {
  const { path } = await resolveModel(cacheFolder(currentHost()), realModel, process.cwd());
  const folder = scratchFolder();
  const served = await startLlamaModel({ id: realModel, path, runFolder: folder.path });
  return {
    served,
    async [Symbol.asyncDispose]() {
      await served.close();
      folder[Symbol.dispose]();
    },
  };
}

/** The simulated model, at no cost in time. */
export function openSimulatedModel(): ServedModel {
  const cost = { prefillMsPerToken: 0, decodeMsPerStep: 0, batchFactor: 0 };
  return createSimulatedModel({ id: "simulated", clock: systemClock, cost });
}

/** Starts a server in front of a model. It does not end the model's engine. */
export async function observedServer(
  served: ServedModel,
  forced: { readonly lines: readonly ForcedLine[]; readonly encoding: ForcedEncoding } | null = null,
): Promise<ObservedServer> {
  const inference = createInference({ models: [served], clock: systemClock });
  const observations = new Map<string, Observation>();
  const laps = new Map<string, LapRecord>();
  let ids = 0;
  const text = forced?.lines.map((line) => JSON.stringify(line)).join("\n") ?? "";
  const api = await createApi({
    models: inference.models(),
    submit: (model, request) => {
      const seen: Observation = {
        prompt: request.prompt.slice(0),
        ids: [],
        output: [],
        forced: request.decode.forced ?? null,
      };
      observations.set(request.id, seen);
      const ticket = inference.submit(model, request);
      return {
        decision: ticket.decision,
        events: noteIds(ticket.events, seen),
        cancel: () => ticket.cancel(),
        settle: (keep) => ticket.settle(keep),
        [Symbol.asyncDispose]: () => ticket[Symbol.asyncDispose](),
      };
    },
    store: createMemoryStore({ clock: systemClock }),
    laps: {
      add: (_scope, lap) => laps.set(lap.response_id, lap),
      find: (_scope, id) => laps.get(id) ?? null,
      gauges: () => ({ records: laps.size, bytes: 0 }),
    },
    clock: systemClock,
    newId: (prefix) => `${prefix}_${++ids}`,
    salt: new Uint8Array(32),
    sealer: createSealer(new Uint8Array(32)),
    techniques: {
      ...{ websocket: true, chain: true, lineage: true, incrementalRender: true, fork: true },
      ...{ incrementalTokenize: true, prefixReuse: true, settingsInheritance: true },
    },
    trajectory: forced === null ? null : { lines: parseTrajectory(text), encoding: forced.encoding },
    chainBytes: longLimit,
    prewarmWaitMs,
    storeTtlMs: null,
    keys: [],
    origins: [],
    hosts: [],
    logger: pino({ level: "silent" }),
    metrics: new Registry(),
    isReady: () => true,
  });
  const { port } = await api.listen("127.0.0.1", 0);
  return {
    root: `http://127.0.0.1:${port}`,
    model: served.description.id,
    served,
    observed: (id) => found(observations, id),
    lap: (id) => found(laps, id),
    [Symbol.asyncDispose]: () => api.close(0),
  };
}

async function* noteIds(events: AsyncIterable<EngineEvent>, seen: Observation): AsyncGenerator<EngineEvent> {
  for await (const event of events) {
    if (event.type === "tokens") seen.ids.push(...event.ids);
    seen.output = event.type === "end" ? seen.ids.slice(0, event.keep) : seen.ids;
    yield event;
  }
}

function found<Value>(map: ReadonlyMap<string, Value>, id: string): Value {
  const value = map.get(id);
  if (value === undefined) throw new Error(`nothing was seen of ${id}`);
  return value;
}
