import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  type AgentOptions,
  createAgent,
  type HarnessTool,
  type LapFigures,
  randomIds,
  systemClock,
} from "@slipstream-stack/harness";
import type { ServedModel } from "@slipstream-stack/inference";
import type { Item } from "@slipstream-stack/protocol";
import { callTrajectory, lookUpTool } from "../support/agent-script.ts";
import {
  type ObservedServer,
  observedServer,
  openRealModel,
  openSimulatedModel,
} from "../support/observed-server.ts";
import { type Cut, type RecordedCreate, recordingProxy } from "../support/recording-proxy.ts";
import { scratchFolder } from "../support/scratch-folder.ts";

/** Most payload bytes of a chained request that are not its new items. */
const overheadBytes = 300;

interface Way {
  readonly name: string;
  readonly transport: AgentOptions["transport"];
  readonly cuts: readonly Cut[];
}

/** The prewarm is the socket's first create. The first cut loses an answer, the second only the news of its end. */
const ways: readonly Way[] = [
  { name: "WebSocket", transport: "websocket", cuts: [] },
  { name: "HTTP", transport: "http", cuts: [] },
  {
    name: "a socket killed in mid-stream, twice",
    transport: "websocket",
    cuts: [
      { create: 3, before: "response.function_call_arguments.done" },
      { create: 6, before: "response.completed" },
    ],
  },
];

interface Told {
  readonly history: readonly unknown[];
  readonly laps: readonly LapFigures[];
  readonly toolRuns: number;
  readonly creates: readonly RecordedCreate[];
}

const lookUp = (onRun: () => void): HarnessTool => ({
  definition: { ...lookUpTool, parameters: { ...lookUpTool.parameters, required: ["word", "page"] } },
  parallel: false,
  async run(callArguments) {
    onRun();
    return { output: `It says: ${JSON.stringify(callArguments).length} letters.`, isError: false };
  },
});

/** One turn of our harness over one transport, all of whose answers call the tool. */
async function tell(server: ObservedServer, way: Way, workspace: string, maxLaps: number): Promise<Told> {
  await using proxy = await recordingProxy(server.root);
  proxy.reset(...way.cuts);
  let toolRuns = 0;
  const agent = await createAgent({
    ...{
      baseUrl: `${proxy.root}/v1`,
      model: server.model,
      workspace,
      sandbox: "none",
      transport: way.transport,
    },
    ...{ clock: systemClock, ids: randomIds, random: () => 0, environment: process.env, maxLaps },
    settings: { tool_choice: { type: "function", name: lookUpTool.name } },
    tools: [
      lookUp(() => {
        toolRuns += 1;
      }),
    ],
  });
  try {
    await agent.start();
    const laps: LapFigures[] = [];
    const outcome = await agent.run("Look all entries up.", AbortSignal.timeout(120_000), (event) => {
      if (event.type === "lap-end") laps.push(event.figures);
    });
    assert.equal(outcome.kind, "lap_limit", JSON.stringify(outcome));
    return { history: withoutIds(agent.history()), laps, toolRuns, creates: proxy.creates };
  } finally {
    await agent.close();
  }
}

/** Ids are the server's to choose; everything else has to be the same. */
function withoutIds(items: readonly Item[]): unknown[] {
  const names = new Map<unknown, string>();
  return items.map(({ id: _, status: __, ...item }) => {
    const callId = item["call_id"];
    if (callId === undefined) return item;
    if (!names.has(callId)) names.set(callId, `call ${names.size}`);
    return { ...item, call_id: names.get(callId) };
  });
}

/** Each prompt begins with all of the one before, and with what the model wrote then if the client saw its end. */
function requirePrefixes(server: ObservedServer, { creates }: Told): void {
  for (const [index, create] of creates.entries()) {
    const last = creates[index - 1];
    if (last === undefined) continue;
    const { prompt, output } = server.observed(String(last.response.id));
    const before = [...prompt, ...(last.response.terminal === null ? [] : output)];
    const next = server.observed(String(create.response.id)).prompt;
    assert.deepEqual([...next.subarray(0, before.length)], before, `prompt ${index}`);
    assert.ok(last.response.terminal === null || next.length > before.length);
  }
}

function requireSmallRequests({ creates }: Told): number {
  const chained = creates.filter(({ body }) => body["previous_response_id"] !== undefined);
  for (const { body, bytes } of chained) {
    const overhead = bytes - Buffer.byteLength(JSON.stringify(body["input"]));
    assert.ok(overhead <= overheadBytes, `${overhead} bytes beside the new items`);
  }
  return chained.length;
}

async function tellAll(open: () => Promise<ObservedServer>, maxLaps: number): Promise<void> {
  using workspace = scratchFolder();
  const histories: (readonly unknown[])[] = [];
  for (const way of ways) {
    await using server = await open();
    const told = await tell(server, way, workspace.path, maxLaps);
    assert.equal(told.laps.length, maxLaps, way.name);
    assert.equal(told.toolRuns, maxLaps, `${way.name}: each call ran once`);
    requirePrefixes(server, told);
    const broken = told.creates.filter(({ response }) => response.terminal === null);
    assert.equal(broken.length, way.cuts.length, `${way.name}: answers that were cut`);
    const chained = requireSmallRequests(told);
    // On a socket all laps are chained, except the first on a new one.
    if (way.transport === "websocket") assert.ok(chained >= maxLaps - way.cuts.length);
    histories.push(told.history);
  }
  assert.deepEqual(histories[1], histories[0], "HTTP and WebSocket");
  assert.deepEqual(histories[2], histories[0], "a killed socket");
}

const forcedFrom = (served: ServedModel, laps: number) =>
  observedServer(served, { lines: callTrajectory(laps), encoding: "canonical" });

describe("one history over every transport", () => {
  test("30 laps of seeded tokens on the simulated engine", () =>
    tellAll(() => observedServer(openSimulatedModel()), 30));

  test("8 laps, teacher-forced on the embedded model", async () => {
    await using model = await openRealModel();
    await tellAll(() => forcedFrom(model.served, 8), 8);
  });
});
