import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  createApi,
  createMemoryStore,
  createSealer,
  createSqliteStore,
  LapRing,
  loadOrCreateKey,
  readTrajectory,
  type Store,
  sweepRegularly,
} from "@slipstream-stack/api";
import { createInference, systemClock } from "@slipstream-stack/inference";
import { pino } from "pino";
import { collectDefaultMetrics, Registry } from "prom-client";
import type { Config } from "../config/schema.ts";
import { CliError } from "../errors.ts";
import { stateFolder } from "../host/folders.ts";
import type { Host } from "../host/host.ts";
import { tryToListen } from "../host/try-to-listen.ts";
import { addEngineGauges } from "./engine-gauges.ts";
import { openModel } from "./open-model.ts";
import { readKeys } from "./read-keys.ts";
import { createRunFolder, isProcessAlive } from "./run-folder.ts";

/** Bytes that live chains (items, ropes, marks) may take. */
const chainBytes = 512 * 1024 * 1024;
/** Milliseconds a prewarm keeps its client waiting; the prefill itself goes on. */
const prewarmWaitMs = 10_000;
/** Milliseconds a stored response lives. */
const storeTtlMs = 30 * 24 * 60 * 60 * 1000;

/** A server that answers requests. */
export interface RunningServer {
  /** Without `/v1`. */
  readonly root: string;
  readonly modelId: string;
  /** Takes no more requests, lets running ones end within `drainMs`, then ends engine and store. */
  close(drainMs: number): Promise<void>;
}

/** What a start tells meanwhile, and what may cut it short. */
export interface StartPorts {
  /** Ends what a start can do without: the server comes up all the same. */
  readonly signal?: AbortSignal;
  /** A sentence for whoever started it. */
  readonly note?: (text: string) => void;
}

type Cleanup = () => Promise<unknown>;

/**
 * Puts model, inference, store and API together and listens. What was opened is closed again when a later part fails.
 * @throws CliError, InferenceError or ApiError of the part that failed
 */
export async function startServer(
  config: Config,
  host: Host,
  ports: StartPorts = {},
): Promise<RunningServer> {
  const cleanups: Cleanup[] = [];
  try {
    return await open(config, host, ports, cleanups);
  } catch (error) {
    await cleanUp(cleanups);
    throw error;
  }
}

async function open(
  config: Config,
  host: Host,
  ports: StartPorts,
  cleanups: Cleanup[],
): Promise<RunningServer> {
  await requireFreePort(config);
  const keys = await readKeys(config.keys_file, host.env.SLIPSTREAM_API_KEYS);
  const trajectory = config.teacher_forcing === null ? null : readTrajectory(config.teacher_forcing);
  const logger = pino({ level: config.log_level }, pino.destination(2));
  const secret = await loadOrCreateKey(join(stateFolder(host), "server.key"));
  const store = await openStore(config, host, (error) => logger.error({ err: error }, "store failed"));
  cleanups.push(() => store.close());
  const sweeping = new AbortController();
  const swept = sweepRegularly(store, systemClock, sweeping.signal, (error) =>
    logger.error({ err: error }, "sweep failed"),
  );
  cleanups.push(() => {
    sweeping.abort();
    return swept;
  });
  const runFolder = await createRunFolder(tmpdir(), process.pid, isProcessAlive);
  cleanups.push(() => runFolder.remove());
  const { served, isReady } = await openModel(config, host, {
    runFolder: runFolder.path,
    signal: ports.signal ?? new AbortController().signal,
    note: ports.note ?? (() => undefined),
    onLog: (line) => logger.warn({ line }, "engine"),
  });
  const inference = createInference({ models: [served], clock: systemClock });
  cleanups.push(() => inference.close(0));
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  const modelId = served.description.id;
  addEngineGauges(metrics, modelId, () => inference.load(modelId));
  const api = await createApi({
    models: inference.models(),
    submit: inference.submit,
    store,
    laps: new LapRing(),
    clock: systemClock,
    newId: (prefix) => `${prefix}_${randomUUID().replaceAll("-", "")}`,
    salt: secret,
    sealer: createSealer(secret),
    techniques: apiTechniques(config),
    trajectory: trajectory === null ? null : { lines: trajectory, encoding: config.teacher_forcing_encoding },
    chainBytes,
    prewarmWaitMs,
    storeTtlMs,
    keys,
    origins: config.allowed_origins,
    hosts: config.allowed_hosts,
    logger,
    metrics,
    isReady,
  });
  const { port } = await api.listen(config.host, config.port);
  const close = async (drainMs: number): Promise<void> => {
    await api.close(drainMs);
    await cleanUp(cleanups);
  };
  return { root: `http://${bracketed(config.host)}:${port}`, modelId, close };
}

/** Known before a large model is loaded in vain. */
async function requireFreePort({ host, port }: Config): Promise<void> {
  if (port === 0 || (await tryToListen(host, port)) !== "EADDRINUSE") return;
  throw new CliError(
    "port_in_use",
    `Port ${port} on ${host} is in use: end the other program, or give another port with --port (0 takes a free one).`,
  );
}

async function openStore(config: Config, host: Host, onError: (error: Error) => void): Promise<Store> {
  if (config.store === ":memory:") return createMemoryStore({ clock: systemClock });
  const path = config.store ?? join(stateFolder(host), "responses.sqlite");
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  return createSqliteStore({ path, clock: systemClock, onError });
}

function apiTechniques({ techniques }: Config) {
  return {
    websocket: techniques.websocket,
    chain: techniques.chain,
    lineage: techniques.lineage,
    incrementalRender: techniques.incremental_render,
    incrementalTokenize: techniques.incremental_tokenize,
    prefixReuse: techniques.prefix_reuse,
    fork: techniques.fork,
    settingsInheritance: techniques.settings_inheritance,
  };
}

function bracketed(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/** The last opened first; one that fails does not keep the others open. */
async function cleanUp(cleanups: Cleanup[]): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup().catch(() => undefined);
}
