import {
  type AgentOptions,
  createAgent,
  type LapFigures,
  randomIds,
  type SandboxChoice,
  systemClock,
  type TurnOutcome,
} from "@slipstream-stack/harness";
import type { Host } from "../host/host.ts";
import { spawnServer } from "../serve/spawn-server.ts";
import { createDemoFolder, demoTask, trajectoryPath } from "./demo-folder.ts";
import { demoInstructions } from "./demo-instructions.ts";
import type { DemoSide } from "./demo-sides.ts";
import { readServerCounts, type ServerCounts } from "./server-counts.ts";

/** What every side of one demo shares. */
export interface DemoSetting {
  readonly host: Host;
  readonly model: string;
  /** Arguments of `serve` that the user gave, such as another model or a config file. */
  readonly serveArguments: readonly string[];
  readonly sandbox: SandboxChoice;
  readonly temporaryFolder: string;
  readonly signal: AbortSignal;
}

/** How one side did. Times in milliseconds, from the agent's start to the end of its turn. */
export interface SideResult {
  readonly side: DemoSide;
  readonly outcome: TurnOutcome;
  readonly laps: readonly LapFigures[];
  /** Time spent waiting for the model: connecting and prewarming, then each lap from sending to its end. */
  readonly modelMs: number;
  readonly counts: ServerCounts;
  readonly wallMs: number;
}

const readyMs = 300_000;
const endMs = 10_000;

/** Runs the scripted task once: a fresh server, a fresh folder, real commands, forced tokens. */
export async function runSide(
  setting: DemoSetting,
  side: DemoSide,
  onLap: (lap: LapFigures) => void,
): Promise<SideResult> {
  const { host, signal } = setting;
  const server = await spawnServer({
    serveArguments: [...setting.serveArguments, "--teacher-forcing", trajectoryPath, ...side.serveArguments],
    env: { ...host.env },
    readyMs,
    endMs,
    signal,
  });
  const folder = await createDemoFolder(setting.temporaryFolder);
  try {
    const result = await runTask(setting, side, `${server.root}/v1`, folder.path, onLap);
    return { ...result, counts: await readServerCounts(server.root, signal) };
  } finally {
    await folder.remove();
    await server.close();
  }
}

async function runTask(
  setting: DemoSetting,
  side: DemoSide,
  baseUrl: string,
  workspace: string,
  onLap: (lap: LapFigures) => void,
): Promise<Omit<SideResult, "counts">> {
  const agent = await createAgent(agentOptions(setting, side, baseUrl, workspace));
  const laps: LapFigures[] = [];
  try {
    const started = systemClock.now();
    await agent.start();
    const startMs = systemClock.now() - started;
    const outcome = await agent.run(demoTask, setting.signal, (event) => {
      if (event.type !== "lap-end") return;
      laps.push(event.figures);
      onLap(event.figures);
    });
    const wallMs = systemClock.now() - started;
    const modelMs = laps.reduce((sum, lap) => sum + lap.modelMs, startMs);
    return { side, outcome, laps, modelMs, wallMs };
  } finally {
    await agent.close();
  }
}

function agentOptions(
  setting: DemoSetting,
  side: DemoSide,
  baseUrl: string,
  workspace: string,
): AgentOptions {
  return {
    baseUrl,
    model: setting.model,
    instructions: demoInstructions,
    workspace,
    sandbox: setting.sandbox,
    transport: side.transport,
    techniques: side.techniques,
    clock: systemClock,
    ids: randomIds,
    random: Math.random,
    environment: setting.host.env,
    ...(side.keepAlive ? {} : { fetch: fetchWithoutKeepAlive }),
  };
}

/** A client that opens a connection for every request, as many simple ones do. */
const fetchWithoutKeepAlive: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  headers.set("connection", "close");
  return fetch(input, { ...init, headers });
};
