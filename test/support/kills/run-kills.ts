import { setTimeout as sleep } from "node:timers/promises";
import { type SeededRandom, seededRandom } from "@slipstream-stack/testkit";
import { httpClient, type ResponsesClient, socketClient } from "../responses-client.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { serve } from "../serve.ts";
import { ChainWriter, chainTrajectory } from "./chain-writer.ts";
import { checkBegun, checkKept, checkStored, type Fault } from "./check-kept.ts";
import { descendants, isAlive, waitUntil } from "./process-tree.ts";

export interface KillPlan {
  readonly engine: "llama" | "simulated";
  /** `server`: the whole server, which is started again. `engine`: its engine process, which it starts again itself. */
  readonly target: "server" | "engine";
  readonly kills: number;
  readonly seed: number;
  /** A kill comes when fewer than so many responses have been completed since the last one… */
  readonly afterResponses: number;
  /** …and fewer than so many milliseconds after the last of them. */
  readonly afterMs: number;
}

export interface KillReport {
  readonly kills: number;
  /** Responses that clients saw completed. */
  readonly completed: number;
  /** Requests that a kill ended, by error code. */
  readonly ended: ReadonlyMap<string, number>;
  /** What a client saw completed and the server lost or damaged; orphans; restarts that did not come. */
  readonly faults: readonly Fault[];
}

type RunningServer = Awaited<ReturnType<typeof serve>>;

const goneMs = 15_000;
const recoverMs = 60_000;

/** Kills a server or its engine with SIGKILL while clients create stored responses, and checks every promise after. */
export async function runKills(plan: KillPlan): Promise<KillReport> {
  using folder = scratchFolder();
  const random = seededRandom(plan.seed);
  const writers = ["http", "websocket"].map((name) => new ChainWriter(name, plan.engine));
  const faults: Fault[] = [];
  const start = (): Promise<RunningServer> =>
    serve({ engine: plan.engine, folder: folder.path, durable: true, trajectory: chainTrajectory });
  let server = await start();
  try {
    for (let kill = 0; kill < plan.kills; kill += 1) {
      const before = writers.map(({ completed, begun }) => ({ kept: completed.length, begun: begun.length }));
      faults.push(...(await killOnce(plan, server, writers, random)));
      if (plan.target === "server") server = await start();
      for (const [index, writer] of writers.entries()) {
        const { kept = 0, begun = 0 } = before[index] ?? {};
        faults.push(...(await checkKept(server.root, writer, writer.completed.slice(kept))));
        faults.push(...(await checkBegun(server.root, writer, writer.begun.slice(begun))));
      }
    }
    // What survived one kill has survived all that came later.
    for (const response of writers.flatMap(({ completed }) => completed)) {
      faults.push(...(await checkStored(server.root, response)));
    }
  } finally {
    await server.close();
  }
  return report(plan, writers, faults);
}

async function killOnce(
  plan: KillPlan,
  server: RunningServer,
  writers: readonly ChainWriter[],
  random: SeededRandom,
): Promise<Fault[]> {
  const stop = new AbortController();
  const clients: ResponsesClient[] = [httpClient(server.root), await socketClient(server.root)];
  const writing = writers.map((writer, index) =>
    writer.write(clients[index] as ResponsesClient, stop.signal),
  );
  const completed = (): number => writers.reduce((sum, writer) => sum + writer.completed.length, 0);
  const target = completed() + random.below(plan.afterResponses);
  await waitUntil(() => completed() >= target, recoverMs, 2);
  await sleep(random.below(plan.afterMs));
  const children = descendants(server.pid).map(({ pid }) => pid);
  const faults =
    plan.target === "server"
      ? await killServer(server, children)
      : await killEngine(server, children, random);
  stop.abort();
  await Promise.all(writing);
  for (const client of clients) client[Symbol.dispose]();
  return faults;
}

async function killServer(server: RunningServer, children: readonly number[]): Promise<Fault[]> {
  process.kill(server.pid, "SIGKILL");
  await server.lost;
  const allGone = await waitUntil(() => !children.some(isAlive), goneMs);
  return allGone ? [] : [`the server left ${children.filter(isAlive).length} processes behind`];
}

async function killEngine(
  server: RunningServer,
  children: readonly number[],
  random: SeededRandom,
): Promise<Fault[]> {
  const engine = children[random.below(children.length)];
  if (engine === undefined) return ["there is no engine process to kill"];
  process.kill(engine, "SIGKILL");
  const isReady = async (): Promise<boolean> => {
    const others = descendants(server.pid).filter(({ pid }) => pid !== engine);
    return others.length > 0 && (await fetch(`${server.root}/readyz`)).status === 200;
  };
  return (await waitUntil(isReady, recoverMs, 100)) ? [] : ["the engine did not come back"];
}

function report(plan: KillPlan, writers: readonly ChainWriter[], faults: readonly Fault[]): KillReport {
  const ended = new Map<string, number>();
  for (const { code } of writers.flatMap(({ errors }) => errors)) ended.set(code, (ended.get(code) ?? 0) + 1);
  const completed = writers.reduce((sum, writer) => sum + writer.completed.length, 0);
  return { kills: plan.kills, completed, ended, faults };
}
