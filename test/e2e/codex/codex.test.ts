import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { JsonObject, LapRecord } from "@slipstream-stack/protocol";
import { type RecordedCreate, type RecordingProxy, recordingProxy } from "../../support/recording-proxy.ts";
import { type ScratchFolder, scratchFolder } from "../../support/scratch-folder.ts";
import { type ForcedLine, realModel, serve, simulatedModelId } from "../../support/serve.ts";
import { type Codex, type CodexRun, createCodex } from "./run-codex.ts";

/** Least share of the previous prompt that has to be reused. */
const share = 0.99;
const shell = (callId: string, cmd: string) => ({
  output: [
    { type: "function_call", call_id: callId, name: "exec_command", arguments: JSON.stringify({ cmd }) },
  ],
});
const say = (text: string) => ({
  output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text }] }],
});
/** A turn with three calls, and one with a fourth for whoever goes on. */
const trajectory: readonly ForcedLine[] = [
  shell("call_a", "echo one > a.txt"),
  shell("call_b", "tr a-z A-Z < a.txt > b.txt"),
  shell("call_c", "cat a.txt b.txt > c.txt"),
  say("The files are written."),
  shell("call_d", "wc -l < c.txt > d.txt"),
  say("The file has two lines."),
];

function requireTurn(run: CodexRun, text: string): void {
  const told = JSON.stringify(run.events, null, 1) + run.errors;
  assert.equal(run.status, 0, told);
  const messages = run.events.flatMap(({ type, item }) =>
    type === "item.completed" && (item as JsonObject)["type"] === "agent_message"
      ? [(item as JsonObject)["text"]]
      : [],
  );
  assert.deepEqual(messages, [text], told);
  const faults = run.events.filter(
    ({ type, item }) => type === "error" || (item as JsonObject)?.["type"] === "error",
  );
  assert.deepEqual(faults, [], told);
}

function requireFiles(codex: Codex): void {
  const read = (name: string) => readFileSync(join(codex.workspace, name), "utf8");
  assert.deepEqual(["a.txt", "b.txt", "c.txt"].map(read), ["one\n", "ONE\n", "one\nONE\n"]);
}

const inputItems = ({ body }: RecordedCreate): JsonObject[] => body["input"] as JsonObject[];

/** What generates: a prewarm is a create, too. */
const answers = (proxy: RecordingProxy): RecordedCreate[] =>
  proxy.creates.filter(({ body }) => body["generate"] !== false);

async function lapsOf(proxy: RecordingProxy): Promise<LapRecord[]> {
  return Promise.all(
    answers(proxy)
      .filter(({ response }) => response.terminal === "response.completed")
      .map(async ({ response }) => {
        const reply = await fetch(`${proxy.root}/slipstream/v1/responses/${response.id}/lap`);
        assert.equal(reply.status, 200);
        return (await reply.json()) as LapRecord;
      }),
  );
}

/** From the second lap on, what stood in the previous prompt is not evaluated again. */
function requireShare(laps: readonly LapRecord[], before?: LapRecord): void {
  const all = before === undefined ? laps : [before, ...laps];
  for (const [index, lap] of all.entries()) {
    const previous = all[index - 1];
    if (previous === undefined) continue;
    const least = share * previous.tokens.prompt;
    assert.ok(
      lap.tokens.cached >= least,
      `lap ${index}: ${lap.tokens.cached} of ${previous.tokens.prompt} tokens cached (${lap.cause})`,
    );
  }
}

/** Codex's own sums agree with the server's. */
function requireUsage(run: CodexRun, laps: readonly LapRecord[]): void {
  const usage = run.events.find(({ type }) => type === "turn.completed")?.["usage"] as JsonObject;
  const sum = (read: (lap: LapRecord) => number) => laps.reduce((total, lap) => total + read(lap), 0);
  assert.equal(
    usage["cached_input_tokens"],
    sum((lap) => lap.tokens.cached),
  );
  assert.equal(
    usage["input_tokens"],
    sum((lap) => lap.tokens.prompt),
  );
  assert.equal(
    usage["output_tokens"],
    sum((lap) => lap.tokens.output),
  );
}

/** The server is told of nothing twice: after the first call each request holds a new output and nothing else. */
function requireDeltas(proxy: RecordingProxy): void {
  const [, ...later] = answers(proxy);
  for (const create of later) {
    assert.equal(typeof create.body["previous_response_id"], "string");
    assert.deepEqual(
      inputItems(create).map(({ type }) => type),
      ["function_call_output"],
    );
  }
}

describe("Codex on the embedded model", () => {
  let folder: ScratchFolder;
  let server: Awaited<ReturnType<typeof serve>>;
  let proxy: RecordingProxy;
  before(async () => {
    folder = scratchFolder();
    server = await serve({ engine: "llama", folder: folder.path, trajectory });
    proxy = await recordingProxy(server.root);
  });
  after(async () => {
    await proxy?.[Symbol.asyncDispose]();
    await server?.close();
    folder?.[Symbol.dispose]();
  });

  test("over WebSocket three calls run, only deltas travel, and a new process goes on where it stopped", async () => {
    proxy.reset();
    using codex = await createCodex(proxy.root, realModel, "websocket");
    const run = await codex.exec("Write three files.");
    requireTurn(run, "The files are written.");
    requireFiles(codex);
    assert.equal(proxy.sockets(), 1);
    assert.deepEqual(
      answers(proxy).map(({ transport }) => transport),
      Array(4).fill("websocket"),
    );
    requireDeltas(proxy);
    const laps = await lapsOf(proxy);
    assert.equal(laps.length, 4);
    requireShare(laps);
    requireUsage(run, laps);
    const [first, ...later] = answers(proxy);
    assert.ok(later.every(({ body }) => JSON.stringify(body["input"]).length < first!.bytes / 10));

    proxy.reset();
    const resumed = await codex.resume(run.threadId, "Count the lines.");
    requireTurn(resumed, "The file has two lines.");
    assert.equal(readFileSync(join(codex.workspace, "d.txt"), "utf8").trim(), "2");
    const resumedLaps = await lapsOf(proxy);
    assert.equal(resumedLaps.length, 2);
    requireShare(resumedLaps, laps.at(-1));
  });

  test("over HTTP the whole input travels each time and as little is evaluated", async () => {
    proxy.reset();
    using codex = await createCodex(proxy.root, realModel, "http");
    const run = await codex.exec("Write three files.");
    requireTurn(run, "The files are written.");
    requireFiles(codex);
    assert.equal(proxy.sockets(), 0);
    const creates = answers(proxy);
    assert.equal(creates.length, 4);
    const counts = creates.map((create) => inputItems(create).length);
    assert.deepEqual(
      counts,
      counts.map((_, index) => counts[0]! + 2 * index),
    );
    assert.ok(creates.every(({ body }) => body["previous_response_id"] === undefined));
    const laps = await lapsOf(proxy);
    requireShare(laps);
    requireUsage(run, laps);
    assert.ok(laps.slice(1).every((lap) => lap.continuation === "lineage"));

    proxy.reset();
    const resumed = await codex.resume(run.threadId, "Count the lines.");
    requireTurn(resumed, "The file has two lines.");
    requireShare(await lapsOf(proxy), laps.at(-1));
  });

  test("a socket dropped in the middle of the third answer costs neither a call nor the prefix", async () => {
    // The socket's first create is a prewarm.
    proxy.reset({ create: 3, before: "response.function_call_arguments.done" });
    using codex = await createCodex(proxy.root, realModel, "websocket");
    const run = await codex.exec("Write three files.");
    const broken = answers(proxy).filter(({ response }) => response.terminal === null);
    assert.equal(broken.length, 1, "one answer was cut");
    assert.equal(proxy.sockets(), 2);
    assert.equal(run.status, 0, run.errors);
    requireFiles(codex);
    const laps = await lapsOf(proxy);
    assert.equal(laps.length, 4);
    requireShare(laps);
    const commands = run.events.filter(
      ({ type, item }) => type === "item.completed" && (item as JsonObject)["type"] === "command_execution",
    );
    assert.equal(commands.length, 3, "no call ran twice");
  });
});

test("a server without WebSocket answers 426 and Codex goes on over HTTP without a word", async () => {
  using folder = scratchFolder();
  await using server = await serve({
    engine: "simulated",
    folder: folder.path,
    trajectory,
    arguments: ["--techniques-websocket", "false"],
  });
  await using proxy = await recordingProxy(server.root);
  using codex = await createCodex(proxy.root, simulatedModelId, "websocket");
  requireTurn(await codex.exec("Write three files."), "The files are written.");
  requireFiles(codex);
  assert.ok(proxy.refusedUpgrades.length > 0);
  assert.ok(proxy.refusedUpgrades.every((status) => status === 426));
  assert.deepEqual(
    answers(proxy).map(({ transport }) => transport),
    Array(4).fill("http"),
  );
});
