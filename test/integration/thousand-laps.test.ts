import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Item, JsonObject, LapRecord } from "@slipstream-stack/protocol";
import { userItem } from "../support/agent-script.ts";
import { readMetrics } from "../support/read-metrics.ts";
import { type ResponsesClient, socketClient } from "../support/responses-client.ts";
import { scratchFolder } from "../support/scratch-folder.ts";
import { serve, simulatedModelId } from "../support/serve.ts";

const laps = 1_000;
/** Laps of another chain that go before, so that the first hundred meet compiled code. */
const warmUp = 200;
/** Laps between two looks at the server. */
const block = 10;
const contextTokens = 400_000;

/** About 10 kB, resent with every request. */
const tools = Array.from({ length: 20 }, (_, index) => ({
  type: "function",
  name: `tool_${index}`,
  description: `Tool number ${index}. ${"It does one thing, does it well, and says so at some length. ".repeat(5)}`,
  parameters: { type: "object", properties: { text: { type: "string" }, count: { type: "integer" } } },
}));

interface Lap {
  readonly record: LapRecord;
  /** Bytes of the new items, in and out. */
  readonly delta: number;
  /** Tokens of this prompt that neither the last prompt nor the last answer has. */
  readonly newTokens: number;
}

/** A lap that stands: its response, and the tokens that the next one finds. */
interface Standing {
  readonly lap: Lap;
  readonly id: string;
  readonly tokens: number;
}

interface Look {
  /** The lap that follows. */
  readonly before: number;
  readonly cpuSeconds: number;
  readonly heldTokens: number;
}

interface Chain {
  readonly laps: readonly Lap[];
  readonly looks: readonly Look[];
  /** Bytes held after collection, at the laps named. */
  readonly memory: ReadonlyMap<number, number>;
  readonly tokensAt: (lap: number) => number;
  readonly fileBytes: number;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const memoryLaps = [200, 600, 1_000];

async function runChain(): Promise<Chain> {
  using folder = scratchFolder();
  const hook = fileURLToPath(new URL("../support/collect-on-signal.ts", import.meta.url));
  await using server = await serve({
    engine: "simulated",
    folder: folder.path,
    durable: true,
    arguments: ["--context-tokens", String(contextTokens)],
    env: { NODE_OPTIONS: `--import=${hook}` },
  });
  using client = await socketClient(server.root);
  let warm: Standing | null = null;
  for (let index = 1; index <= warmUp; index += 1) warm = await oneLap(client, server.root, -index, warm);
  const done: Lap[] = [];
  const looks: Look[] = [];
  const memory = new Map<number, number>();
  let last: Standing | null = null;
  for (let index = 1; index <= laps; index += 1) {
    if (index % block === 1) looks.push(await look(server.root, index, last));
    last = await oneLap(client, server.root, index, last);
    done.push(last.lap);
    if (memoryLaps.includes(index)) memory.set(index, await heldBytes(server));
  }
  looks.push(await look(server.root, laps + 1, last));
  const tokensAt = (lap: number): number =>
    looks.find(({ before }) => before === lap + 1)?.heldTokens ?? Number.NaN;
  await server.close();
  const fileBytes = statSync(join(folder.path, "responses.sqlite")).size;
  return { laps: done, looks, memory, tokensAt, fileBytes };
}

async function look(root: string, before: number, last: Standing | null): Promise<Look> {
  const cpuSeconds = (await readMetrics(root)).get("process_cpu_seconds_total") ?? Number.NaN;
  return { before, cpuSeconds, heldTokens: last?.tokens ?? 0 };
}

async function oneLap(
  client: ResponsesClient,
  root: string,
  index: number,
  last: Standing | null,
): Promise<Standing> {
  const fresh: Item[] = [userItem(`Lap ${index}: what comes next, and why does it come after the last one?`)];
  const body = { model: simulatedModelId, tools, tool_choice: "none", input: fresh, store: true };
  const previous = last === null ? {} : { previous_response_id: last.id };
  const { response } = await client.create({ ...body, ...previous } as unknown as JsonObject);
  assert.equal(response.status, "completed");
  const record = (await (
    await fetch(`${root}/slipstream/v1/responses/${response.id}/lap`)
  ).json()) as LapRecord;
  const tokens = record.tokens.prompt + record.tokens.output;
  const delta = [...fresh, ...response.output].reduce(
    (bytes, item) => bytes + JSON.stringify(item).length,
    0,
  );
  return {
    lap: { record, delta, newTokens: record.tokens.prompt - (last?.tokens ?? 0) },
    id: response.id,
    tokens,
  };
}

/** The least of several readings after collections: what is waiting to be collected is not held. */
async function heldBytes({ root, pid }: { root: string; pid: number }): Promise<number> {
  const readings: number[] = [];
  for (let reading = 0; reading < 5; reading++) {
    process.kill(pid, "SIGUSR2");
    await sleep(200);
    const metrics = await readMetrics(root);
    const external = metrics.get("nodejs_external_memory_bytes") ?? 0;
    readings.push((metrics.get("nodejs_heap_size_used_bytes") ?? 0) + external);
  }
  return Math.min(...readings);
}

describe("a chain of 1,000 laps over one socket", () => {
  let chain: Chain;
  before(async () => {
    chain = await runChain();
  });

  test("the last hundred laps take the processor time of the first", () => {
    const spent = chain.looks.slice(1).map((look, index) => ({
      before: look.before,
      seconds: look.cpuSeconds - chain.looks[index]!.cpuSeconds,
    }));
    const between = (from: number, to: number) =>
      median(
        spent.filter(({ before }) => before > from + 1 && before <= to + 1).map(({ seconds }) => seconds),
      );
    const first = between(0, 100);
    const lastHundred = between(laps - 100, laps);
    assert.ok(lastHundred <= 1.2 * first, `${lastHundred} s a block against ${first} s`);
  });

  test("only new items are tokenized", () => {
    const later = chain.laps.slice(1);
    const tokenized = sum(later.map(({ record }) => record.work.tokenized_tokens));
    const fresh = sum(later.map(({ newTokens }) => newTokens));
    assert.ok(tokenized > 0 && tokenized <= 1.05 * fresh, `${tokenized} ids for ${fresh} tokens`);
  });

  test("what is stored of a lap follows what is new in it", () => {
    for (const { record, delta } of chain.laps.slice(1)) {
      assert.ok(record.work.store_bytes > 0);
      assert.ok(
        record.work.store_bytes <= 1.3 * delta + 2_000,
        `${record.work.store_bytes} bytes for ${delta}`,
      );
    }
    const allowed = sum(chain.laps.map(({ delta }) => 1.3 * delta + 2_000));
    assert.ok(chain.fileBytes <= allowed, `the database has ${chain.fileBytes} bytes, not ${allowed}`);
  });

  test("memory follows the tokens held", () => {
    const perToken = (from: number, to: number): number => {
      const bytes = chain.memory.get(to)! - chain.memory.get(from)!;
      return bytes / (chain.tokensAt(to) - chain.tokensAt(from));
    };
    const early = perToken(200, 600);
    const late = perToken(600, 1_000);
    // A copy of the history in each lap would make the later laps cost twice the earlier ones.
    assert.ok(late <= 1.6 * early, `${late} bytes a token after lap 600, ${early} before`);
  });
});
