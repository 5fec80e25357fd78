import { join, resolve } from "node:path";
import { type Agent, createAgent, randomIds, systemClock } from "@slipstream-stack/harness";
import { askContextTokens } from "../client/ask-context-tokens.ts";
import { readBaseUrl } from "../client/base-url.ts";
import type { ConfigSources, LoadedConfig } from "../config/load-config.ts";
import { stateFolder } from "../host/folders.ts";
import type { Host } from "../host/host.ts";
import { findEntry } from "../models/catalogue.ts";
import { serveArguments } from "../serve/serve-arguments.ts";
import { type ChildServer, spawnServer } from "../serve/spawn-server.ts";
import type { AgentFlags } from "./agent-settings.ts";

/** Milliseconds a server may take to load its model. */
const readyMs = 300_000;
/** Milliseconds it may take to end when asked. */
const endMs = 10_000;

/** What an agent is opened with. */
export interface OpenAgentRequest {
  readonly flags: AgentFlags;
  readonly sources: ConfigSources;
  readonly loaded: LoadedConfig;
  readonly host: Host;
  readonly signal: AbortSignal;
}

/** An agent and, when there was none to talk to, the server started for it. */
export interface OpenedAgent {
  readonly agent: Agent;
  close(): Promise<void>;
}

/** Folder of the sessions of `exec` and `run`. */
function sessionFolder(host: Host): string {
  return join(stateFolder(host), "sessions");
}

/** Starts a server unless one is named, and an agent that talks to it. Both end with `close`. */
export async function openAgent(request: OpenAgentRequest): Promise<OpenedAgent> {
  const { flags, host } = request;
  const server = flags.baseUrl === null ? await startServer(request) : null;
  try {
    const { baseUrl } = readBaseUrl(flags.baseUrl ?? server?.root ?? "");
    const contextTokens = await askContextTokens({
      baseUrl,
      model: request.loaded.config.model,
      apiKey: host.env.SLIPSTREAM_API_KEY,
      signal: request.signal,
    });
    const agent = await createAgent({
      baseUrl,
      contextTokens,
      apiKey: host.env.SLIPSTREAM_API_KEY ?? null,
      model: request.loaded.config.model,
      workspace: resolve(host.workingFolder, flags.workspace ?? "."),
      sandbox: flags.sandbox,
      network: flags.network,
      transport: flags.transport,
      techniques: request.loaded.config.techniques,
      clock: systemClock,
      ids: randomIds,
      random: Math.random,
      environment: host.env,
      settings: advisedSettings(request.loaded.config.model),
      ...(flags.maxLaps === null ? {} : { maxLaps: flags.maxLaps }),
      session: flags.ephemeral
        ? null
        : { directory: sessionFolder(host), resume: flags.resume, fsync: "turn" },
    });
    return { agent, close: () => closeBoth(agent, server) };
  } catch (error) {
    await server?.close();
    throw error;
  }
}

/** How the catalogue says that a model wants to be sampled. */
function advisedSettings(model: string): { temperature?: number; top_p?: number } {
  const settings = findEntry(model)?.settings;
  return settings === undefined ? {} : { temperature: settings.temperature, top_p: settings.topP };
}

async function closeBoth(agent: Agent, server: ChildServer | null): Promise<void> {
  try {
    await agent.close();
  } finally {
    await server?.close();
  }
}

function startServer({ sources, loaded, host, signal }: OpenAgentRequest): Promise<ChildServer> {
  return spawnServer({
    serveArguments: serveArguments(sources, loaded),
    // On loopback and for one client: the keys of a server that others use do not concern it.
    env: { ...host.env, SLIPSTREAM_API_KEYS: undefined },
    readyMs,
    endMs,
    signal,
  });
}
