import { followKvEvents } from "./kv/follow-kv-events.ts";
import { KvIndex } from "./kv/kv-index.ts";
import type { Clock } from "./port/clock.ts";
import type { PrefixRef, Scope } from "./port/prefix.ts";
import type { ServedModel } from "./port/served-model.ts";
import type { EngineRequest, LoadReport, RetentionHint } from "./port/token-engine.ts";
import { type RouteDecision, route } from "./router/route.ts";
import { SessionHomes } from "./router/session-homes.ts";
import { failedTicket, type RoutedTicket } from "./scheduler/routed-ticket.ts";
import { sumLoads } from "./scheduler/sum-loads.ts";
import { Worker } from "./scheduler/worker.ts";

export interface InferenceOptions {
  /** Several entries with one description id are replicas of one model. */
  readonly models: readonly ServedModel[];
  readonly clock: Clock;
  /** Requests inside one engine at once. Default 32. */
  readonly maxInFlight?: number;
  /** Requests that wait before one engine. Default 256. */
  readonly maxWaiting?: number;
  /** Bytes of the index of who holds which block, for each model. Default 64 MiB. */
  readonly kvIndexBytes?: number;
}

/** The only door to engines: everything behind it is chosen here. */
export interface Inference {
  /** One entry for each model id, in the order given. */
  models(): readonly ServedModel[];
  model(id: string): ServedModel | undefined;
  /**
   * Never throws and never rejects: an unknown model, a full line and a closed door are `error` events. The
   * caller reads the events and disposes of the ticket on every path.
   */
  submit(modelId: string, request: EngineRequest): RoutedTicket;
  /** Gauges of all replicas of a model together, or undefined for an unknown one. */
  load(modelId: string): LoadReport | undefined;
  /** Tells all replicas of a model about a prefix's future. */
  hint(modelId: string, scope: Scope, prefix: PrefixRef, hint: RetentionHint): void;
  /** Takes no more requests, lets running ones finish for at most `drainMs` milliseconds, ends the engines. */
  close(drainMs: number): Promise<void>;
}

/** Builds the door before these models. */
export function createInference(options: InferenceOptions): Inference {
  const pools = new Map<string, ModelPool>();
  for (const model of options.models) {
    const { id } = model.description;
    const pool = pools.get(id) ?? new ModelPool(model, options);
    pool.add(model);
    pools.set(id, pool);
  }
  let closed = false;
  return {
    models: () => [...pools.values()].map((pool) => pool.model),
    model: (id) => pools.get(id)?.model,
    submit(modelId, request) {
      if (closed)
        return failedTicket("engine_restarting", "The server is closing; send the request again.", true);
      const pool = pools.get(modelId);
      if (pool === undefined)
        return failedTicket("invalid_request", `There is no model "${modelId}".`, false);
      return pool.submit(request);
    },
    load: (modelId) => pools.get(modelId)?.load(),
    hint: (modelId, scope, prefix, hint) => pools.get(modelId)?.hint(scope, prefix, hint),
    async close(drainMs) {
      closed = true;
      await Promise.all([...pools.values()].map((pool) => pool.close(drainMs)));
    },
  };
}

/** The replicas of one model. */
class ModelPool {
  readonly model: ServedModel;
  readonly #options: InferenceOptions;
  readonly #workers = new Map<string, Worker>();
  readonly #index: KvIndex;
  readonly #homes = new SessionHomes();
  readonly #closing = new AbortController();

  constructor(model: ServedModel, options: InferenceOptions) {
    this.model = model;
    this.#options = options;
    this.#index = new KvIndex(options.kvIndexBytes);
  }

  add(model: ServedModel): void {
    const { clock, maxInFlight = 32, maxWaiting = 256 } = this.#options;
    const id = `${model.description.id}#${this.#workers.size}`;
    this.#workers.set(id, new Worker(id, model.engine, clock, { maxInFlight, maxWaiting }));
    if (!model.engine.info().can.has("kvEvents")) return;
    void followKvEvents(this.#index, id, model.engine, clock, this.#closing.signal);
  }

  submit(request: EngineRequest): RoutedTicket {
    const decision = this.#decide(request);
    const worker = this.#workers.get(decision.worker);
    if (worker === undefined)
      return failedTicket("engine_failed", "The router chose a worker that is not there.", true);
    this.#homes.settle(request.scope, request.session, decision.worker);
    return worker.submit(request, decision);
  }

  load(): LoadReport {
    return sumLoads([...this.#workers.values()].map((worker) => worker.load()));
  }

  hint(scope: Scope, prefix: PrefixRef, hint: RetentionHint): void {
    for (const worker of this.#workers.values()) worker.engine.hint(scope, prefix, hint);
  }

  async close(drainMs: number): Promise<void> {
    await Promise.all([...this.#workers.values()].map((worker) => worker.close(drainMs)));
    this.#closing.abort();
  }

  #decide(request: EngineRequest): RouteDecision {
    const home = this.#homes.homeOf(request.scope, request.session);
    const homeWorker = home === null ? undefined : this.#workers.get(home);
    const settled = homeWorker !== undefined && !homeWorker.saturated;
    const asked = settled ? [homeWorker.id] : [...this.#workers.keys()];
    const held = this.#heldBy(asked, request);
    const views = [...this.#workers.values()].map((worker) => ({
      id: worker.id,
      held: held.get(worker.id) ?? 0,
      uncachedWaiting: worker.load().uncachedTokensWaiting,
      saturated: worker.saturated,
    }));
    return route(views, home);
  }

  #heldBy(workers: readonly string[], request: EngineRequest): Map<string, number> {
    return request.useCache ? this.#index.heldBy(workers, request.prompt.boundaries()) : new Map();
  }
}
