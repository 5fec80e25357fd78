import assert from "node:assert/strict";
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { TransportError, type TransportFailureKind } from "../errors.ts";
import { HistoryLog } from "../history/history-log.ts";
import { systemClock } from "../ports/system-clock.ts";
import { freezeSettings } from "../request/frozen-settings.ts";
import { HttpTransport } from "./http-transport.ts";
import type { TransportEvent } from "./model-transport.ts";
import { ScriptedServer } from "./testing/scripted-server.ts";
import { ManualClock } from "./testing/test-ports.ts";
import { defaultTimeouts } from "./timeouts.ts";

const never = new AbortController().signal;
const settings = freezeSettings({ settings: { model: "m" }, store: false });
const log = new HistoryLog([{ type: "message", role: "user", content: "hi" }]);

async function listen(
  context: TestContext,
  listener: RequestListener,
): Promise<{ server: Server; url: string }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/responses` };
}

function transport(url: string, clock = systemClock): HttpTransport {
  return new HttpTransport({
    url,
    headers: { authorization: "Bearer k" },
    clock,
    timeouts: defaultTimeouts,
    fetch,
  });
}

async function play(over: HttpTransport, signal = never): Promise<TransportEvent[]> {
  const events: TransportEvent[] = [];
  for await (const event of over.respond({ settings, history: log.view() }, signal)) events.push(event);
  return events;
}

function fails(kind: TransportFailureKind, code: string = kind): (error: unknown) => boolean {
  return (error) => TransportError.isInstance(error) && error.kind === kind && error.code === code;
}

test("H1.4: over HTTP the whole input travels, and bytes grow with the history", async (context) => {
  const server = await ScriptedServer.start();
  context.after(() => server.stop());
  const growing = new HistoryLog([{ type: "message", role: "user", content: "hi" }]);
  const over = transport(`${server.baseUrl}/responses`);
  for (let lap = 0; lap < 5; lap++) {
    for await (const event of over.respond({ settings, history: growing.view() }, never)) {
      if (event.type === "item") growing.append([event.item]);
    }
  }
  const bytes = server.requests.map((request) => request.bytes);
  assert.deepEqual(
    bytes,
    bytes.toSorted((left, right) => left - right),
  );
  assert.equal(new Set(bytes).size, 5);
  assert.deepEqual(server.requests[4]?.body.input, growing.items().slice(0, -1));
  assert.ok(server.requests.every((request) => request.body.previous_response_id === undefined));
  assert.ok(server.requests.every((request) => request.authorization === "Bearer k"));
});

test("connections are kept alive between requests", async (context) => {
  let connections = 0;
  const { server, url } = await listen(context, (_request, response) => {
    response.write('data: {"type":"response.completed","response":{"id":"r"}}\n\n');
    setTimeout(() => response.end("data: [DONE]\n\n"), 5);
  });
  server.on("connection", () => {
    connections += 1;
  });
  const over = transport(url);
  for (let count = 0; count < 3; count++) {
    await play(over);
    await nextTurn();
  }
  assert.equal(connections, 1);
});

test("a stream left open behind its end holds nobody up for long", async (context) => {
  const { url } = await listen(context, (_request, response) => {
    response.write('data: {"type":"response.completed","response":{"id":"r"}}\n\n');
  });
  const timeouts = { ...defaultTimeouts, drainMs: 20 };
  const over = new HttpTransport({ url, headers: {}, clock: systemClock, timeouts, fetch });
  assert.deepEqual(
    (await play(over)).map((event) => event.type),
    ["sent", "completed"],
  );
});

test("errors are read whatever their body is, and an endless body is not read to its end", async (context) => {
  let endless: NodeJS.Timeout | undefined;
  const { url } = await listen(context, (request, response) => {
    const kind = request.headers["x-kind"] ?? "";
    response.writeHead(500, { "retry-after": "2" });
    if (kind === "json") response.end('{"error":{"code":"engine_restarting","message":"soon"}}');
    else if (kind === "html") response.end("<html>bad gateway</html>");
    else {
      endless = setInterval(() => response.write("x".repeat(16_384)), 1);
      response.on("close", () => clearInterval(endless));
    }
  });
  for (const [kind, code] of [
    ["json", "engine_restarting"],
    ["html", "rejected"],
    ["endless", "rejected"],
  ] as const) {
    const over = new HttpTransport({
      ...{ url, headers: { "x-kind": kind }, clock: systemClock, timeouts: defaultTimeouts, fetch },
    });
    await assert.rejects(play(over), (error) => {
      assert.ok(fails("rejected", code)(error));
      assert.ok(TransportError.isInstance(error));
      return error.status === 500 && error.retryAfterMs === 2000;
    });
  }
});

test("nobody there is unreachable; an end without an end is broken", async (context) => {
  const { server, url } = await listen(context, (_request, response) => response.end("data: {}\n\n"));
  await assert.rejects(play(transport(url)), fails("broken"));
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await assert.rejects(play(transport(url)), fails("unreachable"));
});

test("silence is a timeout, before the headers and between two events; comments are signs of life", async (context) => {
  const arrived = Promise.withResolvers<void>();
  const { url } = await listen(context, () => arrived.resolve());
  const clock = new ManualClock();
  const waiting = assert.rejects(play(transport(url, clock)), fails("timeout"));
  await arrived.promise;
  clock.advance(defaultTimeouts.idleMs);
  await waiting;

  const answering = Promise.withResolvers<ServerResponse>();
  const second = await listen(context, (_request, response) => {
    response.write('data: {"type":"response.created","response":{"id":"r"}}\n\n');
    answering.resolve(response);
  });
  const slowClock = new ManualClock();
  const body = new ReadChunks();
  const over = new HttpTransport({
    ...{ url: second.url, headers: {}, clock: slowClock, timeouts: defaultTimeouts, fetch: body.fetch },
  });
  const running = play(over);
  const response = await answering.promise;
  for (let count = 1; count <= 3; count++) {
    await body.reached(count);
    slowClock.advance(defaultTimeouts.idleMs - 1);
    response.write(": still here\n\n");
  }
  await body.reached(4);
  response.end('data: {"type":"response.completed","response":{"id":"r"}}\n\n');
  assert.deepEqual(
    (await running).map((event) => event.type),
    ["sent", "created", "completed"],
  );
});

/** A `fetch` that tells when so many chunks of its body have been read. */
class ReadChunks {
  #count = 0;

  readonly fetch: typeof globalThis.fetch = async (...given) => {
    const response = await fetch(...given);
    const counted = response.body?.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          controller.enqueue(chunk);
          this.#count += 1;
        },
      }),
    );
    return new Response(counted ?? null, { status: response.status, headers: response.headers });
  };

  async reached(count: number): Promise<void> {
    while (this.#count < count) await nextTurn();
    for (let turn = 0; turn < 5; turn++) await nextTurn();
  }
}

test("an abort while the headers are awaited ends the request with the signal's reason", async (context) => {
  const arrived = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const { url } = await listen(context, (request) => {
    arrived.resolve();
    request.socket.on("close", () => closed.resolve());
  });
  const abort = new AbortController();
  const reason = new Error("stop");
  const running = assert.rejects(play(transport(url), abort.signal), (error) => error === reason);
  await arrived.promise;
  abort.abort(reason);
  await running;
  await closed.promise;
});
