import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  createAgent,
  type HarnessTool,
  type LapFigures,
  randomIds,
  systemClock,
} from "@slipstream-stack/harness";
import type { LapRecord } from "@slipstream-stack/protocol";
import { type Config, configSchema } from "../../packages/cli/src/config/schema.ts";
import { currentHost } from "../../packages/cli/src/host/host.ts";
import { startServer } from "../../packages/cli/src/serve/start-server.ts";
import { callTrajectory, lookUpTool } from "../support/agent-script.ts";
import { scratchFolder } from "../support/scratch-folder.ts";

type Technique = keyof Config["techniques"];

/** The laps of two equal turns, one after the other, each by an agent of its own. */
type Told = { readonly figures: LapFigures; readonly record: LapRecord }[][];

interface Effect {
  /** A full resend each lap, as clients without chaining send. */
  readonly http?: boolean;
  /** Also off on both sides of the comparison. */
  readonly alone?: Technique;
  /** What an observer sees; it must differ between on and off. */
  readonly seen: (told: Told) => unknown;
  readonly on: unknown;
  readonly off: unknown;
}

const laps = 3;
const last = ([first]: Told) => first?.[laps - 1];

/** One line per technique: how switching it off alone can be seen from outside. */
const effects: Readonly<Record<Technique, Effect>> = {
  websocket: { seen: (told) => last(told)?.figures.transport, on: "websocket", off: "http" },
  delta: { seen: (told) => last(told)?.figures.fullReason, on: null, off: "delta_off" },
  prewarm: { seen: ([first]) => (first?.[0]?.record.tokens.cached ?? 0) > 0, on: true, off: false },
  settings_inheritance: { seen: (told) => overhead(told) <= 300, on: true, off: false },
  chain: { seen: (told) => last(told)?.record.cause, on: null, off: "reuse_off" },
  lineage: { http: true, seen: (told) => last(told)?.record.continuation, on: "lineage", off: "none" },
  incremental_render: {
    seen: (told) => (last(told)?.record.work.rendered_items ?? 0) > laps,
    on: false,
    off: true,
  },
  incremental_tokenize: { seen: (told) => last(told)?.record.cause, on: null, off: "reencoded" },
  prefix_reuse: { seen: (told) => (last(told)?.record.tokens.cached ?? 0) > 0, on: true, off: false },
  fork: {
    alone: "prewarm",
    seen: ([_, second]) => (second?.[0]?.record.tokens.cached ?? 0) > 0,
    on: true,
    off: false,
  },
};

function overhead(told: Told): number {
  const figures = last(told)?.figures;
  return (figures?.bytesSent ?? 0) - (figures?.itemBytes ?? 0);
}

const lookUp: HarnessTool = {
  definition: { ...lookUpTool, parameters: { ...lookUpTool.parameters, required: ["word", "page"] } },
  parallel: false,
  run: async () => ({ output: "It is known.", isError: false }),
};

async function tell(off: readonly Technique[], http: boolean): Promise<Told> {
  using folder = scratchFolder();
  const trajectory = join(folder.path, "trajectory.jsonl");
  writeFileSync(
    trajectory,
    callTrajectory(laps)
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(""),
  );
  const techniques = Object.fromEntries(off.map((name) => [name, false]));
  const config = configSchema.parse({
    ...{ engine: "simulated", model: "sim", port: 0, store: ":memory:", log_level: "silent" },
    ...{ teacher_forcing: trajectory, techniques },
  });
  const env = { XDG_STATE_HOME: folder.path };
  const server = await startServer(config, { ...currentHost(), homeFolder: folder.path, env });
  try {
    const told: Told = [];
    for (const task of ["Look all entries up.", "Look them all up."]) {
      const agent = await createAgent({
        ...{ baseUrl: `${server.root}/v1`, model: "sim", workspace: folder.path, sandbox: "none" },
        ...{ clock: systemClock, ids: randomIds, random: () => 0, environment: {}, maxLaps: laps + 1 },
        transport: http ? "http" : "websocket",
        techniques: config.techniques,
        tools: [lookUp],
      });
      const figures: LapFigures[] = [];
      try {
        await agent.start();
        await agent.run(task, AbortSignal.timeout(60_000), (event) => {
          if (event.type === "lap-end") figures.push(event.figures);
        });
      } finally {
        await agent.close();
      }
      told.push(
        await Promise.all(
          figures.map(async (lap) => ({ figures: lap, record: await record(server.root, lap) })),
        ),
      );
    }
    return told;
  } finally {
    await server.close(0);
  }
}

async function record(root: string, { responseId }: LapFigures): Promise<LapRecord> {
  const response = await fetch(`${root}/slipstream/v1/responses/${responseId}/lap`);
  return (await response.json()) as LapRecord;
}

for (const [name, effect] of Object.entries(effects) as [Technique, Effect][]) {
  test(`techniques.${name} can be switched off, and that is seen`, async () => {
    const always = effect.alone === undefined ? [] : [effect.alone];
    const http = effect.http ?? false;
    assert.deepEqual(effect.seen(await tell(always, http)), effect.on);
    const told = await tell([...always, name], http);
    assert.deepEqual(effect.seen(told), effect.off);
    for (const turn of told) assert.equal(turn.length, laps + 1);
  });
}

test("the configuration has no technique without an effect", () => {
  assert.deepEqual(Object.keys(effects).sort(), Object.keys(configSchema.parse({}).techniques).sort());
});
