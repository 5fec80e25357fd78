import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createAgent } from "./agent.ts";
import type { AgentOptions } from "./agent-options.ts";
import { HarnessError } from "./errors.ts";
import type { TurnEvent } from "./events.ts";
import { systemClock } from "./ports/system-clock.ts";
import { listSessions } from "./session/list-sessions.ts";
import { SessionFile } from "./session/session-file.ts";
import { testWorkspace } from "./testing/test-workspace.ts";
import { bytesPerToken } from "./tools/output-limit.ts";
import { type HarnessTool, success } from "./tools/tool.ts";
import { functionCall, ScriptedServer, textMessage } from "./transport/testing/scripted-server.ts";
import { CountingIds, HastyClock } from "./transport/testing/test-ports.ts";
import type { Fault, ScriptedAnswer } from "./transport/testing/wire-script.ts";

const never = new AbortController().signal;

/** A session of several laps with real tools; `fault` strikes the answer with this index. */
function script(fault?: { readonly at: number; readonly fault: Fault }): ScriptedAnswer[] {
  const answers: ScriptedAnswer[] = [
    { items: [functionCall("c1", "shell", { command: "echo one >> log; cat log" })] },
    { items: [textMessage("looking"), functionCall("c2", "read_file", { path: "log" })] },
    {
      items: [
        functionCall("c3", "apply_patch", {
          patch: "*** Begin Patch\n*** Add File: new.txt\n+hello\n*** End Patch",
        }),
      ],
    },
    {
      items: [
        functionCall("c4", "search", { pattern: "hel+o" }),
        functionCall("c5", "shell", { command: "exit 3" }),
      ],
    },
    { items: [textMessage("all done")] },
  ];
  if (fault === undefined) return answers;
  return answers.toSpliced(fault.at, 0, { ...answers[fault.at], fault: fault.fault });
}

async function setUp(
  context: TestContext,
  answers: readonly ScriptedAnswer[],
  more: Partial<AgentOptions> = {},
) {
  const workspace = more.workspace ?? (await testWorkspace(context));
  const server = await ScriptedServer.start(answers);
  context.after(() => server.stop());
  server.inheritsSettings = true;
  const agent = await createAgent({
    baseUrl: server.baseUrl,
    model: "m",
    sandbox: "auto",
    transport: "auto",
    clock: systemClock,
    ids: new CountingIds(),
    random: () => 0.5,
    environment: process.env,
    ...more,
    workspace,
  });
  context.after(() => agent.close());
  const events: TurnEvent[] = [];
  const run = (task: string, signal = never) => agent.run(task, signal, (event) => events.push(event));
  return { workspace, server, agent, events, run };
}

/** The history without what differs between two workspaces. */
function comparable(items: readonly unknown[], workspace: string): string {
  return JSON.stringify(items).replaceAll(workspace, "<workspace>");
}

test("a session over WebSocket, over HTTP, and over sockets that die in mid-stream ends in one history", async (context) => {
  const plain = await setUp(context, script());
  await plain.agent.start();
  assert.deepEqual(await plain.run("go"), { kind: "answered", text: "all done", laps: 5 });
  const expected = comparable(plain.agent.history(), plain.workspace);

  const variants: [string, Partial<AgentOptions>, ScriptedAnswer[]][] = [
    ["http", { transport: "http" }, script()],
    ["websocket without deltas", { techniques: { delta: false } }, script()],
    [
      "without warm-up and inheritance",
      { techniques: { prewarm: false, settings_inheritance: false } },
      script(),
    ],
    ["first call cut off", {}, script({ at: 0, fault: { kind: "drop", afterEvents: 3 } })],
    ["message cut off from its call", {}, script({ at: 1, fault: { kind: "drop", afterEvents: 6 } })],
    ["last answer cut off", {}, script({ at: 4, fault: { kind: "drop", afterEvents: 4 } })],
    ["last answer whole but unconfirmed", {}, script({ at: 4, fault: { kind: "drop", afterEvents: 5 } })],
    [
      "refused with 503",
      {},
      script({ at: 2, fault: { kind: "error", status: 503, code: "engine_restarting" } }),
    ],
    ["cut off over HTTP", { transport: "http" }, script({ at: 1, fault: { kind: "drop", afterEvents: 5 } })],
  ];
  for (const [name, options, answers] of variants) {
    const { agent, run, workspace } = await setUp(context, answers, options);
    await agent.start();
    assert.equal((await run("go")).kind, "answered", name);
    assert.equal(comparable(agent.history(), workspace), expected, name);
    assert.equal(readFileSync(join(workspace, "log"), "utf8"), "one\n", `${name}: the call ran once`);
  }
});

test("a response that dies behind its finished call: the call runs once and its output goes out once", async (context) => {
  const answers = script();
  answers[0] = { ...answers[0], fault: { kind: "drop", afterEvents: 4 } };
  const { run, agent, workspace, events } = await setUp(context, answers);
  assert.equal((await run("go")).kind, "answered");
  assert.equal(readFileSync(join(workspace, "log"), "utf8"), "one\n");
  assert.equal(events.filter((event) => event.type === "interrupted").length, 1);
  const outputs = agent.history().filter((item) => item.type === "function_call_output");
  assert.equal(outputs.length, 5);
});

test("chained requests carry only what is new: at most 300 bytes beyond the items", async (context) => {
  const { run, agent, server, events } = await setUp(context, script());
  await agent.start();
  await run("go");
  const laps = events.flatMap((event) => (event.type === "lap-end" ? [event.figures] : []));
  for (const lap of laps) {
    assert.equal(lap.mode, "delta");
    assert.ok(lap.bytesSent - lap.itemBytes <= 300);
  }
  assert.deepEqual(server.requests.at(-1)?.resolved, agent.history().slice(0, -1));
});

test("the first request, tools and instructions included, is below 1,200 tokens", async (context) => {
  const { run, server } = await setUp(context, []);
  await run("say hi");
  assert.ok(server.requests[0]!.bytes / bytesPerToken <= 1200, `${server.requests[0]!.bytes} bytes`);
});

test("instructions travel as the first developer item, never as a setting", async (context) => {
  const { run, server } = await setUp(context, [], { instructions: "be brief" });
  await run("say hi");
  const { body } = server.requests[0]!;
  assert.equal(body.instructions, undefined);
  assert.deepEqual((body.input as unknown[])[0], { type: "message", role: "developer", content: "be brief" });
});

test("H2.4: clock, ids, locale, folder, environment and order of tools leave no trace before the environment", async (context) => {
  const extra = (name: string): HarnessTool => ({
    definition: { type: "function", name, parameters: { type: "object" } },
    parallel: true,
    run: async () => success(""),
  });
  const first = await setUp(context, [], { tools: [extra("b"), extra("a")], transport: "http" });
  const second = await setUp(context, [], {
    tools: [extra("a"), extra("b")],
    transport: "http",
    clock: new HastyClock(),
    random: () => 0.9,
    environment: { PATH: process.env["PATH"], LANG: "tr_TR.UTF-8", TZ: "Asia/Tokyo", HOME: "/nowhere" },
  });
  await first.run("go");
  await second.run("go");
  const prefix = (server: ScriptedServer): string => {
    const json = JSON.stringify(server.requests[0]!.body);
    return json.slice(0, json.indexOf("<environment_context>"));
  };
  assert.ok(prefix(first.server).includes('"apply_patch"'));
  assert.equal(prefix(first.server), prefix(second.server));
});

test("a session is written as it goes and goes on in another process's place", async (context) => {
  const directory = await testWorkspace(context);
  const session = { directory, resume: null, fsync: "turn" } as const;
  const first = await setUp(context, script(), { session });
  await first.run("go");
  const id = first.agent.sessionId;
  assert.ok(id);
  const history = first.agent.history();
  await first.agent.close();
  assert.equal((await listSessions(directory))[0]?.id, id);

  const { workspace } = first;
  const second = await setUp(context, [], { workspace, session: { ...session, resume: id } });
  assert.equal(JSON.stringify(second.agent.history()), JSON.stringify(history), "the very same bytes");
  await second.run("and now?");
  assert.deepEqual((second.server.requests[0]!.body.input as unknown[]).slice(0, -1), history);
});

test("a resumed session tells a changed workspace at its end and edits nothing before", async (context) => {
  const directory = await testWorkspace(context);
  const session = { directory, resume: null, fsync: "never" } as const;
  const first = await setUp(context, [], { session });
  await first.run("go");
  const history = first.agent.history();
  await first.agent.close();
  const resumed = await setUp(context, [], { session: { ...session, resume: first.agent.sessionId } });
  const after = resumed.agent.history();
  assert.deepEqual(after.slice(0, history.length), history);
  assert.equal(after.length, history.length + 1);
  assert.match(JSON.stringify(after.at(-1)), /environment_context/);
});

test("a cancel ends the turn, and the next one works", async (context) => {
  const { run, agent } = await setUp(context, [
    { items: [functionCall("c1", "shell", { command: "sleep 60" })] },
    { items: [textMessage("fine")] },
  ]);
  const abort = new AbortController();
  const running = agent.run("go", abort.signal, (event) => {
    if (event.type === "tool-start") setTimeout(() => abort.abort(), 20);
  });
  assert.equal((await running).kind, "cancelled");
  assert.deepEqual(await run("again"), { kind: "answered", text: "fine", laps: 1 });
});

function hasCode(code: string): (error: unknown) => boolean {
  return (error) => HarnessError.isInstance(error) && error.code === code;
}

test("one turn at a time, and none after close", async (context) => {
  const { run, agent } = await setUp(context, []);
  const running = run("go");
  await assert.rejects(run("too early"), hasCode("agent_busy"));
  await running;
  await agent.close();
  await assert.rejects(run("too late"), hasCode("agent_closed"));
  await agent.close();
});

test("close ends a turn that runs, and the session holds an output for each of its calls", async (context) => {
  const directory = await testWorkspace(context);
  const answers = [{ items: [functionCall("c1", "shell", { command: "sleep 60" })] }];
  const { agent } = await setUp(context, answers, { session: { directory, resume: null, fsync: "turn" } });
  const started = Promise.withResolvers<void>();
  const running = agent.run("go", never, (event) => {
    if (event.type === "tool-start") started.resolve();
  });
  await started.promise;
  await agent.close();
  assert.equal((await running).kind, "cancelled");
  const { file, items } = await SessionFile.resume(directory, String(agent.sessionId), "never");
  await file.close();
  assert.deepEqual(
    items.slice(3).map((item) => item.type),
    ["function_call", "function_call_output", "message"],
  );
});

test("a missing workspace, a bad address and a missing sandbox have their codes", async (context) => {
  await assert.rejects(setUp(context, [], { workspace: "/does/not/exist" }), hasCode("workspace_missing"));
  await assert.rejects(setUp(context, [], { workspace: "/" }), hasCode("invalid_option"));
  await assert.rejects(setUp(context, [], { baseUrl: "ftp://x" }), hasCode("invalid_option"));
  const environment = { PATH: await testWorkspace(context) };
  await assert.rejects(setUp(context, [], { environment }), hasCode("sandbox_missing"));
});
