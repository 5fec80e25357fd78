import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { type WebSocket, WebSocketServer } from "ws";
import { TransportError } from "../errors.ts";
import { systemClock } from "../ports/system-clock.ts";
import { MessageQueue } from "./message-queue.ts";
import { ScriptedServer } from "./testing/scripted-server.ts";
import { ManualClock } from "./testing/test-ports.ts";
import { WebSocketConnection } from "./websocket-connection.ts";

const never = new AbortController().signal;

function open(url: string, clock = systemClock, signal = never): Promise<WebSocketConnection> {
  return WebSocketConnection.open({ url, headers: {}, clock, connectMs: 5000 }, signal);
}

/** A server that does with each socket what the test says, and a connection to it. */
async function setUp(context: TestContext, onSocket: (socket: WebSocket) => void, clock = systemClock) {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  server.on("connection", onSocket);
  await new Promise((resolve) => server.once("listening", resolve));
  const connection = await open(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, clock);
  context.after(() => {
    connection.close();
    for (const socket of server.clients) socket.terminate();
    server.close();
  });
  const queue = new MessageQueue<string>();
  let signs = 0;
  const reader = {
    queue,
    onSign: () => {
      signs += 1;
    },
  };
  return { connection, queue, reader, signs: () => signs };
}

function fails(kind: string): (error: unknown) => boolean {
  return (error) => TransportError.isInstance(error) && error.kind === kind;
}

test("a refusal carries its status and wait; 426 and no listener are told apart", async (context) => {
  const server = await ScriptedServer.start();
  const url = `${server.baseUrl.replace("http", "ws")}/responses`;
  server.refusals.push({ status: 426 }, { status: 503, headers: { "retry-after": "7" } }, { status: 401 });
  await assert.rejects(open(url), fails("upgrade_required"));
  await assert.rejects(open(url), (error) => {
    assert.ok(TransportError.isInstance(error));
    return error.kind === "refused" && error.status === 503 && error.retryAfterMs === 7000;
  });
  await assert.rejects(
    open(url),
    (error) => fails("refused")(error) && (error as TransportError).retryAfterMs === null,
  );
  await server.stop();
  await assert.rejects(open(url), fails("unreachable"));
  context.after(() => server.stop().catch(() => {}));
});

test("an abort while a socket opens ends it with the signal's reason", async (context) => {
  const server = await ScriptedServer.start();
  context.after(() => server.stop());
  const abort = new AbortController();
  const reason = new Error("stop");
  const opening = assert.rejects(
    open(server.baseUrl.replace("http", "ws"), systemClock, abort.signal),
    (error) => error === reason,
  );
  abort.abort(reason);
  await opening;
  await assert.rejects(open(server.baseUrl.replace("http", "ws"), systemClock, abort.signal));
});

test("frames go to the reader of the moment; without one they are dropped", async (context) => {
  const { connection, queue, reader } = await setUp(context, (socket) => {
    socket.send("early");
    socket.on("message", (data) => socket.send(`echo ${data}`));
  });
  await wait(20);
  connection.exchange("a", reader);
  assert.equal(await queue.next(), "echo a");
  connection.release();
  assert.equal(connection.isUsable, true);
});

test("a binary frame is a protocol failure, a close in mid-response is broken", async (context) => {
  const first = await setUp(context, (socket) => socket.on("message", () => socket.send(Buffer.from([1]))));
  first.connection.exchange("a", first.reader);
  await assert.rejects(first.queue.next(), fails("protocol"));
  const second = await setUp(context, (socket) => socket.on("message", () => socket.close(1011)));
  second.connection.exchange("a", second.reader);
  await assert.rejects(second.queue.next(), fails("broken"));
  assert.equal(second.connection.isUsable, false);
  const again = new MessageQueue<string>();
  second.connection.exchange("b", { queue: again, onSign: () => {} });
  await assert.rejects(again.next(), fails("broken"));
});

test("pings of the server are signs of life", async (context) => {
  const { connection, reader, signs } = await setUp(context, (socket) =>
    socket.on("message", () => socket.ping()),
  );
  connection.exchange("a", reader);
  while (signs() === 0) await wait(1);
});

test("a probe tells a socket that answers from one that does not", async (context) => {
  const clock = new ManualClock();
  const sockets: WebSocket[] = [];
  const { connection } = await setUp(context, (socket) => void sockets.push(socket), clock);
  assert.equal(await connection.probe(1000), true);
  for (const socket of sockets) socket.pause();
  const probing = connection.probe(1000);
  clock.advance(1000);
  assert.equal(await probing, false);
  const cut = connection.probe(1000);
  for (const socket of sockets) socket.terminate();
  assert.equal(await cut, false);
});
