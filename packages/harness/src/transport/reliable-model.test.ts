import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { AgentOptions } from "../agent-options.ts";
import { createModel } from "../create-model.ts";
import { TransportError } from "../errors.ts";
import { HistoryLog } from "../history/history-log.ts";
import type { ModelEvent } from "../loop/model-port.ts";
import { functionCall, type Refusal, ScriptedServer, textMessage } from "./testing/scripted-server.ts";
import { CountingIds, HastyClock } from "./testing/test-ports.ts";
import type { ScriptedAnswer } from "./testing/wire-script.ts";

const never = new AbortController().signal;

async function setUp(
  context: TestContext,
  script: readonly ScriptedAnswer[],
  options: Partial<AgentOptions> = {},
) {
  const server = await ScriptedServer.start(script);
  const clock = new HastyClock();
  const model = createModel(
    {
      baseUrl: server.baseUrl,
      model: "m",
      workspace: "",
      sandbox: "none",
      transport: "auto",
      clock,
      ids: new CountingIds(),
      random: () => 0.5,
      environment: {},
      ...options,
    },
    [],
  );
  context.after(async () => {
    await model.close();
    await server.stop();
  });
  const log = new HistoryLog([{ type: "message", role: "user", content: "hi" }]);
  const respond = async (): Promise<ModelEvent[]> => {
    const events: ModelEvent[] = [];
    for await (const event of model.respond(log, never)) {
      events.push(event);
      if (event.type === "item") log.append([event.item]);
    }
    log.append([{ type: "message", role: "user", content: "on" }]);
    return events;
  };
  return { server, clock, model, log, respond };
}

function kinds(events: readonly ModelEvent[], ...wanted: string[]): string[] {
  return events.map((event) => event.type).filter((type) => wanted.includes(type));
}

test("H1.11: 426 falls back at once without a retry, and WebSocket returns after the cool-down", async (context) => {
  const { server, clock, respond } = await setUp(context, []);
  server.refusals.push({ status: 426 });
  const events = await respond();
  assert.deepEqual(kinds(events, "fallback", "completed"), ["fallback", "completed"]);
  assert.equal(server.upgrades, 1);
  assert.deepEqual(clock.waits, [0]);
  await respond();
  assert.deepEqual(
    server.requests.map((request) => request.transport),
    ["http", "http"],
  );
  clock.skip(60_000);
  await respond();
  assert.equal(server.requests.at(-1)?.transport, "websocket");
});

for (const status of [401, 403, 404, 500, 503]) {
  test(`H1.11: a refusal with ${status} is bounded in number and time`, async (context) => {
    const { server, clock, respond } = await setUp(context, []);
    server.refuseAll = { status };
    const events = await respond();
    assert.equal(events.at(-1)?.type, "completed");
    assert.equal(server.upgrades, 2);
    assert.ok(clock.waits.reduce((sum, wait) => sum + wait, 0) < 1000);
    assert.equal(server.requests.at(-1)?.transport, "http");
  });
}

test("a server that cannot be reached at all ends in an error after bounded attempts", async (context) => {
  const { server, respond, clock } = await setUp(context, []);
  await server.stop();
  await assert.rejects(
    respond(),
    (error) => TransportError.isInstance(error) && error.kind === "unreachable",
  );
  assert.ok(clock.waits.length <= 6);
});

test("without a fallback a refused upgrade ends in an error", async (context) => {
  const { server, respond } = await setUp(context, [], { transport: "websocket" });
  const refusal: Refusal = { status: 426 };
  server.refuseAll = refusal;
  await assert.rejects(
    respond(),
    (error) => TransportError.isInstance(error) && error.kind === "upgrade_required",
  );
});

test("H1.3: previous_response_not_found leads to exactly one resend without an id", async (context) => {
  const lost: ScriptedAnswer = { fault: { kind: "error", status: 400, code: "previous_response_not_found" } };
  const { server, log, respond } = await setUp(context, [{ items: [textMessage("a")] }, lost]);
  await respond();
  await respond();
  assert.deepEqual(
    server.requests.map((request) => request.body.previous_response_id),
    [undefined, "resp_1", undefined],
  );
  assert.deepEqual(server.requests.at(-1)?.body.input, log.items().slice(0, -2));
});

test("H1.3: a server that always says not found is asked twice and no more", async (context) => {
  const lost: ScriptedAnswer = { fault: { kind: "error", status: 400, code: "previous_response_not_found" } };
  const { server, respond } = await setUp(context, [{ items: [textMessage("a")] }, lost, lost, lost]);
  await respond();
  await assert.rejects(respond(), TransportError.isInstance);
  assert.equal(server.requests.length, 3);
});

test("H1.6: the age limit in mid-turn reconnects with the full input", async (context) => {
  const aged: ScriptedAnswer = {
    fault: { kind: "error", status: 400, code: "websocket_connection_limit_reached" },
  };
  const { server, respond } = await setUp(context, [{ items: [textMessage("a")] }, aged]);
  await respond();
  await respond();
  assert.equal(server.upgrades, 2);
  assert.equal(server.requests.at(-1)?.body.previous_response_id, undefined);
});

test("retry-after is honoured, and a terminal code is not tried again", async (context) => {
  const limited: ScriptedAnswer = {
    fault: { kind: "error", status: 429, code: "rate_limit_exceeded", headers: { "retry-after": "3" } },
  };
  const tooLong: ScriptedAnswer = { fault: { kind: "error", status: 400, code: "context_length_exceeded" } };
  const { server, clock, respond } = await setUp(context, [limited, {}, tooLong]);
  await respond();
  assert.ok(clock.waits.includes(3000));
  await assert.rejects(
    respond(),
    (error) => TransportError.isInstance(error) && error.code === "context_length_exceeded",
  );
  assert.equal(server.requests.length, 3);
});

test("an answer that breaks before a call has finished is void and generated again", async (context) => {
  const drop = { kind: "drop", afterEvents: 4 } as const;
  const { server, respond } = await setUp(context, [
    { items: [textMessage("half"), textMessage("rest")], fault: drop },
    { items: [textMessage("whole")] },
  ]);
  const events = await respond();
  assert.deepEqual(kinds(events, "restart", "retry", "completed"), ["restart", "retry", "completed"]);
  assert.deepEqual(server.requests[0]?.body.input, server.requests[1]?.body.input);
});

test("an attempt that breaks behind a finished call ends as interrupted and is not sent again", async (context) => {
  const { server, respond } = await setUp(context, [
    { items: [functionCall("c1", "shell"), textMessage("x")], fault: { kind: "drop", afterEvents: 5 } },
  ]);
  const events = await respond();
  assert.deepEqual(kinds(events, "item", "restart", "retry", "interrupted"), ["item", "interrupted"]);
  assert.equal(server.requests.length, 1);
});

test("a socket that breaks twice in a row gives way to HTTP, which finishes the answer", async (context) => {
  const broken: ScriptedAnswer = { items: [textMessage("a")], fault: { kind: "drop", afterEvents: 3 } };
  const { server, respond } = await setUp(context, [broken, broken, { items: [textMessage("ok")] }]);
  const events = await respond();
  assert.equal(events.at(-1)?.type, "completed");
  assert.deepEqual(
    server.requests.map((request) => request.transport),
    ["websocket", "websocket", "http"],
  );
});
