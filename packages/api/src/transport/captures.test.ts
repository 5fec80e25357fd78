import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { parseSse, startServer, type TestSocket } from "./testing/test-server.ts";

/** One entry of a capture of the real Codex CLI (see the fixtures' README in the wire specification). */
interface Entry {
  readonly from: "client" | "server";
  readonly transport: "upgrade" | "http" | "sse" | "ws" | "close";
  readonly conn?: number;
  readonly message: Record<string, unknown> & {
    headers?: Record<string, string>;
    body?: Record<string, unknown>;
  };
}

function capture(name: string): Entry[] {
  return JSON.parse(readFileSync(new URL(`./fixtures/${name}.json`, import.meta.url), "utf8")) as Entry[];
}

/** The handshake's own headers are made by the client library. */
function sessionHeaders(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => !/^(host|connection|upgrade|sec-|content-length|accept-encoding)/i.test(name),
    ),
  );
}

for (const name of ["hi-ws", "tool-resume-ws", "search-ws", "lite-ws"]) {
  test(`the client messages of ${name} are taken in order, deltas without work on tools`, async () => {
    await using server = await startServer();
    const sockets = new Map<number, TestSocket>();
    /** Ids of the capture's server, and of this one. */
    const ids = new Map<string, string>();
    try {
      for (const entry of capture(name)) {
        const connection = entry.conn ?? 1;
        if (entry.from !== "client") continue;
        if (entry.transport === "upgrade") {
          sockets.set(connection, await server.connect({ headers: sessionHeaders(entry.message.headers) }));
        }
        const socket = sockets.get(connection);
        if (entry.transport === "close") await socket?.[Symbol.asyncDispose]();
        if (entry.transport !== "ws") continue;
        const previous = ids.get(String(entry.message.previous_response_id));
        socket!.send(
          previous === undefined ? entry.message : { ...entry.message, previous_response_id: previous },
        );
        const events = await socket!.until("response.completed", "error");
        const last = events.at(-1)!;
        assert.equal(last.type, "response.completed", JSON.stringify(last));
        ids.set(`resp_${ids.size + 1}`, (last.response as { id: string }).id);
      }
      const { incoming } = server.pipeline;
      assert.equal(incoming.length, ids.size);
      assert.ok(incoming.length >= 2);
      for (const [index, { request, connection }] of incoming.entries()) {
        const before = incoming[index - 1];
        if (before === undefined || before.connection?.id !== connection?.id) continue;
        if (request.previous_response_id == null || request.tools == null) continue;
        assert.equal(request.tools, before.request.tools, "resent tools are the same object");
      }
    } finally {
      for (const socket of sockets.values()) await socket[Symbol.asyncDispose]();
    }
  });
}

test("the HTTP requests of reason-http are taken and streamed", async () => {
  await using server = await startServer();
  const requests = capture("reason-http").filter(
    ({ from, transport }) => from === "client" && transport === "http",
  );
  assert.equal(requests.length, 2);
  for (const { message } of requests) {
    const response = await server.post(String(message.path), message.body, sessionHeaders(message.headers));
    assert.equal(response.status, 200);
    const { events, isDone } = parseSse(await response.text());
    assert.ok(isDone);
    assert.equal(events.at(-1)?.type, "response.completed");
  }
  const [first, second] = server.pipeline.incoming;
  assert.equal(first?.headers.originator, "codex_exec");
  assert.equal(second?.headers["x-codex-turn-state"], "TS-http");
  assert.ok((second?.request.input?.length ?? 0) > (first?.request.input?.length ?? 0));
});
