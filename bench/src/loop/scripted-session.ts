import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { spawnServer } from "@slipstream-stack/cli";
import {
  createAgent,
  type LapFigures,
  randomIds,
  type SandboxChoice,
  systemClock,
} from "@slipstream-stack/harness";
import { isJsonObject, type TrajectoryLine } from "@slipstream-stack/protocol";
import type { BenchContext } from "../bench.ts";
import { trajectoryText } from "./long-trajectory.ts";

export interface ScriptedSession {
  readonly laps: readonly LapFigures[];
  /** Laps after the first whose record names a cause why less was reused than stood. */
  readonly breaks: number;
}

export interface ScriptedOptions {
  /** Arguments of `serve` that choose engine and model. */
  readonly serveArguments: readonly string[];
  readonly model: string;
  readonly lines: readonly TrajectoryLine[];
  readonly sandbox: SandboxChoice;
}

/** Runs the harness as it is by default through a scripted session, tools included. */
export async function runScripted(
  context: BenchContext,
  { serveArguments, model, lines, sandbox }: ScriptedOptions,
): Promise<ScriptedSession> {
  const folder = await mkdtemp(join(context.temporaryFolder, "slipstream-bench-"));
  const trajectory = join(folder, "trajectory.jsonl");
  await writeFile(trajectory, trajectoryText(lines));
  const server = await spawnServer({
    serveArguments: [
      ...serveArguments,
      ...["--model", model, "--teacher-forcing", trajectory, "--store", ":memory:", "--log-level", "warn"],
    ],
    env: { ...context.env },
    readyMs: 300_000,
    endMs: 10_000,
    signal: context.signal,
  });
  const workspace = await mkdtemp(join(context.temporaryFolder, "slipstream-work-"));
  try {
    const agent = await createAgent({
      baseUrl: `${server.root}/v1`,
      model,
      workspace,
      sandbox,
      transport: "websocket",
      maxLaps: lines.length,
      clock: systemClock,
      ids: randomIds,
      random: Math.random,
      environment: context.env,
    });
    const laps: LapFigures[] = [];
    try {
      const outcome = await agent.run("Do what is to be done.", context.signal, (event) => {
        if (event.type === "lap-end") laps.push(event.figures);
      });
      if (outcome.kind !== "answered")
        throw new Error(`a scripted session failed: ${JSON.stringify(outcome)}`);
    } finally {
      await agent.close();
    }
    return { laps, breaks: await countBreaks(server.root, laps.slice(1)) };
  } finally {
    await server.close();
    for (const path of [folder, workspace]) await rm(path, { recursive: true, force: true });
  }
}

async function countBreaks(root: string, laps: readonly LapFigures[]): Promise<number> {
  let breaks = 0;
  for (const { responseId } of laps) {
    const record: unknown = await (await fetch(`${root}/slipstream/v1/responses/${responseId}/lap`)).json();
    if (!isJsonObject(record) || record.cause !== null) breaks += 1;
  }
  return breaks;
}
