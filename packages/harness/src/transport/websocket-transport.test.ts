import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import type { Item } from "@slipstream-stack/protocol";
import { TransportError } from "../errors.ts";
import { HistoryLog } from "../history/history-log.ts";
import type { Clock } from "../ports/clock.ts";
import { systemClock } from "../ports/system-clock.ts";
import { type FrozenSettings, freezeSettings } from "../request/frozen-settings.ts";
import type { TransportEvent } from "./model-transport.ts";
import { functionCall, ScriptedServer, textMessage } from "./testing/scripted-server.ts";
import { ManualClock } from "./testing/test-ports.ts";
import type { ScriptedAnswer } from "./testing/wire-script.ts";
import { defaultTimeouts, type TransportTimeouts } from "./timeouts.ts";
import { WebSocketConnection } from "./websocket-connection.ts";
import { WebSocketTransport } from "./websocket-transport.ts";

const never = new AbortController().signal;
const settings = freezeSettings({ settings: { model: "m", tools: [] }, store: false });

interface Setup {
  readonly clock?: Clock;
  readonly timeouts?: Partial<TransportTimeouts>;
  readonly inherits?: boolean;
}

/** A server, a transport and a log that grows as the loop's would. */
async function setUp(context: TestContext, script: readonly ScriptedAnswer[], options: Setup = {}) {
  const server = await ScriptedServer.start(script);
  server.inheritsSettings = options.inherits ?? false;
  const transport = new WebSocketTransport({
    url: `${server.baseUrl.replace("http", "ws")}/responses`,
    headers: {},
    clock: options.clock ?? systemClock,
    timeouts: { ...defaultTimeouts, ...options.timeouts },
    delta: true,
    settingsInheritance: true,
  });
  context.after(async () => {
    await transport.close();
    await server.stop();
  });
  const log = new HistoryLog([{ type: "message", role: "developer", content: "be good" }]);
  const lap = async (
    text: string,
    used: FrozenSettings = settings,
    signal = never,
  ): Promise<TransportEvent[]> => {
    log.append([{ type: "message", role: "user", content: text }]);
    const events: TransportEvent[] = [];
    for await (const event of transport.respond({ settings: used, history: log.view() }, signal)) {
      events.push(event);
      if (event.type === "item") log.append([event.item]);
    }
    return events;
  };
  const isDelta = (index: number): boolean => server.requests[index]?.body.previous_response_id !== undefined;
  return { server, transport, log, lap, isDelta };
}

test("H1.4: requests chain, their bytes do not grow, and the server sees the whole input", async (context) => {
  const { server, log, lap } = await setUp(context, [], { inherits: true });
  for (let index = 0; index < 30; index++) await lap(`question ${100 + index}`);
  const bytes = server.requests.slice(1).map((request) => request.bytes);
  assert.ok(Math.max(...bytes) - Math.min(...bytes) <= 2, "only the response id's length differs");
  assert.deepEqual(server.requests.at(-1)?.resolved, log.items().slice(0, -1));
  assert.equal(server.upgrades, 1);
});

test("unchanged settings are left out where the server announces it, and repeated elsewhere", async (context) => {
  const ours = await setUp(context, [], { inherits: true });
  await ours.lap("a");
  await ours.lap("b");
  assert.deepEqual(Object.keys(ours.server.requests[1]!.body).sort(), [
    ...["input", "previous_response_id", "slipstream_settings", "store", "type"],
  ]);
  const other = await setUp(context, []);
  await other.lap("a");
  await other.lap("b");
  assert.equal(other.server.requests[1]!.body.model, "m");
  assert.equal(other.server.requests[1]!.body.slipstream_settings, undefined);
});

test("H1.10: a warm-up makes no output, can be chained from, and allows an empty delta", async (context) => {
  const { server, transport, log, lap, isDelta } = await setUp(context, []);
  await transport.warmUp({ settings, history: log.view() }, never);
  assert.equal(server.requests[0]?.body.generate, false);
  const events: TransportEvent[] = [];
  for await (const event of transport.respond({ settings, history: log.view() }, never)) events.push(event);
  assert.deepEqual(server.requests[1]?.body.input, []);
  assert.equal(isDelta(1), true);
  log.append(events.flatMap((event) => (event.type === "item" ? [event.item] : [])));
  await lap("a");
  assert.equal(isDelta(2), true);
  assert.deepEqual(server.requests[2]?.resolved, log.items().slice(0, -1));
});

test("H1.2: a changed setting gives one full send on the same socket, then deltas again", async (context) => {
  const { server, lap, isDelta } = await setUp(context, []);
  const changed = freezeSettings({ settings: { model: "m", tools: [], tool_choice: "none" }, store: false });
  await lap("a");
  await lap("b", changed);
  await lap("c", changed);
  assert.deepEqual([0, 1, 2].map(isDelta), [false, false, true]);
  assert.equal(server.upgrades, 1);
});

const breaking: readonly {
  readonly name: string;
  readonly answer: ScriptedAnswer;
  readonly throws: boolean;
}[] = [
  { name: "a failed response", answer: { end: "failed" }, throws: true },
  { name: "an incomplete response", answer: { end: "incomplete" }, throws: false },
  { name: "an empty id", answer: { emptyId: true }, throws: false },
  { name: "an error", answer: { fault: { kind: "error", status: 500, code: "server_error" } }, throws: true },
  { name: "a dropped socket", answer: { fault: { kind: "drop", afterEvents: 2 } }, throws: true },
];

for (const { name, answer, throws } of breaking) {
  test(`H1.2: after ${name} the next request is full, and the one after it a delta`, async (context) => {
    const { lap, isDelta, server, log } = await setUp(context, [{ items: [textMessage("a")] }, answer]);
    await lap("a");
    const second = lap("b");
    if (throws) await assert.rejects(second, TransportError.isInstance);
    else await second;
    await lap("c");
    await lap("d");
    assert.deepEqual([1, 2, 3].map(isDelta), [true, false, true]);
    assert.deepEqual(server.requests.at(-1)?.resolved, log.items().slice(0, -1));
  });
}

test("H1.2: a socket past its age is replaced between two responses, with a full send", async (context) => {
  const clock = new ManualClock();
  const { server, lap, isDelta } = await setUp(context, [], { clock, timeouts: { maxAgeMs: 1000 } });
  await lap("a");
  clock.advance(1001);
  await lap("b");
  assert.deepEqual([server.upgrades, isDelta(1)], [2, false]);
});

test("a socket that was silent for long is asked first: one that answers goes on", async (context) => {
  const clock = new ManualClock();
  const { server, lap, isDelta } = await setUp(context, [], { clock });
  await lap("a");
  clock.advance(defaultTimeouts.probeAfterMs);
  await lap("b");
  assert.deepEqual([server.upgrades, isDelta(1)], [1, true]);
});

test("a socket that was silent for long and does not answer is replaced before anything is sent", async (context) => {
  const clock = new ManualClock();
  const { server, lap, isDelta } = await setUp(context, [], { clock });
  await lap("a");
  clock.advance(defaultTimeouts.probeAfterMs);
  server.deafen();
  const second = lap("b");
  while (clock.waiting === 0) await wait(1);
  clock.advance(defaultTimeouts.probeMs);
  await second;
  assert.deepEqual([server.upgrades, isDelta(1), server.requests.length], [2, false, 2]);
});

test("H1.6: an error on an idle socket leaves the process alive, and the socket is replaced", async (context) => {
  const { server, lap, isDelta } = await setUp(context, []);
  await lap("a");
  server.broadcast({ type: "error", status: 400, error: { code: "websocket_connection_limit_reached" } });
  await wait(20);
  await lap("b");
  assert.deepEqual([server.upgrades, isDelta(1)], [2, false]);
  server.cut();
  await wait(20);
  await lap("c");
  assert.deepEqual([server.upgrades, isDelta(2)], [3, false]);
});

test("H1.7: events of a cancelled response never meet the next one's", async (context) => {
  const { server, log, transport } = await setUp(context, [
    { items: [textMessage("stale"), { type: "function_call" } as Item, functionCall("stale", "shell")] },
    { items: [textMessage("fresh")] },
  ]);
  const abort = new AbortController();
  const history = log.view();
  await assert.rejects(async () => {
    for await (const event of transport.respond({ settings, history }, abort.signal)) {
      if (event.type === "created") abort.abort();
    }
  });
  const items: unknown[] = [];
  for await (const event of transport.respond({ settings, history }, never)) {
    if (event.type === "item") items.push(event.item);
  }
  assert.deepEqual(items, [textMessage("fresh")]);
  assert.equal(server.upgrades, 1, "a response that ends in time leaves its socket usable");
});

test("H1.7: a cancelled response that goes on is ended by closing its socket", async (context) => {
  const { server, log, transport } = await setUp(context, [{ fault: { kind: "hang", afterEvents: 2 } }], {
    timeouts: { drainMs: 20 },
  });
  const abort = new AbortController();
  const history = log.view();
  await assert.rejects(async () => {
    for await (const event of transport.respond({ settings, history }, abort.signal)) {
      if (event.type === "created") abort.abort();
    }
  });
  for await (const _ of transport.respond({ settings, history }, never)) {
    // Played to its end.
  }
  assert.equal(server.upgrades, 2);
});

test("H1.7: a cancel before anything was sent arms no timer and costs no wait", async (context) => {
  const clock = new ManualClock();
  const { lap, server } = await setUp(context, [], { clock });
  await assert.rejects(lap("a", settings, AbortSignal.abort()));
  assert.equal(clock.waiting, 0);
  await lap("b");
  assert.equal(server.requests.length, 1);
});

test("a response gone silent is a timeout", async (context) => {
  const clock = new ManualClock();
  const { lap } = await setUp(context, [{ fault: { kind: "hang", afterEvents: 2 } }], { clock });
  const silent = assert.rejects(
    lap("a"),
    (error) => TransportError.isInstance(error) && error.kind === "timeout",
  );
  await wait(50);
  clock.advance(defaultTimeouts.idleMs + 1);
  await silent;
});

test("an upgrade that nobody answers is a timeout", async (context) => {
  const deaf = createServer(() => {}).on("upgrade", () => {});
  await new Promise<void>((resolve) => deaf.listen(0, "127.0.0.1", resolve));
  context.after(() => {
    deaf.closeAllConnections();
    deaf.close();
  });
  const clock = new ManualClock();
  const url = `ws://127.0.0.1:${(deaf.address() as AddressInfo).port}/`;
  const opening = WebSocketConnection.open({ url, headers: {}, clock, connectMs: 500 }, never);
  const late = assert.rejects(
    opening,
    (error) => TransportError.isInstance(error) && error.kind === "timeout",
  );
  clock.advance(500);
  await late;
});

test("responses asked for at once run one after the other", async (context) => {
  const { transport, log, server } = await setUp(context, [
    { items: [textMessage("first")] },
    { items: [textMessage("second")] },
  ]);
  const run = async (): Promise<unknown[]> => {
    const items: unknown[] = [];
    for await (const event of transport.respond({ settings, history: log.view() }, never)) {
      if (event.type === "item") items.push(event.item);
    }
    return items;
  };
  assert.deepEqual(await Promise.all([run(), run()]), [[textMessage("first")], [textMessage("second")]]);
  assert.equal(server.upgrades, 1);
});
