/** The real Codex's messages, replayed in order against the real server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type ObservedServer, observedServer, openSimulatedModel } from "../support/observed-server.ts";
import {
  captureNames,
  type Entry,
  forcedLines,
  ownHeaders,
  type RecordedAnswer,
  readCapture,
  recordedAnswers,
} from "./support/capture.ts";
import { exchangeStream, openSocket, type SocketSession, type Turn, type Wire } from "./support/exchange.ts";

/** Ids of the capture's server on the left, of this one on the right. */
type Ids = Map<string, string>;

function callIdsOf(turn: Turn): string[] {
  const output = (turn.response?.["output"] ?? []) as Wire[];
  return output.flatMap((item) => (typeof item["call_id"] === "string" ? [item["call_id"]] : []));
}

/** The message with the ids this server gave out. */
function translate(message: Wire, ids: Ids): Wire {
  const own = (id: unknown): unknown => ids.get(String(id)) ?? id;
  const input = message["input"];
  return {
    ...message,
    model: "simulated",
    ...(message["previous_response_id"] === undefined
      ? {}
      : { previous_response_id: own(message["previous_response_id"]) }),
    ...(Array.isArray(input)
      ? {
          input: (input as Wire[]).map((item) =>
            item["call_id"] === undefined ? item : { ...item, call_id: own(item["call_id"]) },
          ),
        }
      : {}),
  };
}

function learn(recorded: RecordedAnswer, turn: Turn, ids: Ids): void {
  if (recorded.id !== null) ids.set(recorded.id, String(turn.response?.["id"]));
  for (const [index, callId] of callIdsOf(turn).entries()) {
    const before = recorded.callIds[index];
    if (before !== undefined) ids.set(before, callId);
  }
}

interface Replay {
  readonly turns: Turn[];
  readonly interrupts: Turn[];
}

async function replay(entries: readonly Entry[], server: ObservedServer): Promise<Replay> {
  const sockets = new Map<number, SocketSession>();
  const answers = recordedAnswers(entries);
  const ids: Ids = new Map();
  const done: Replay = { turns: [], interrupts: [] };
  const baseUrl = `${server.root}/v1`;
  try {
    for (const { from, transport, conn = 1, message } of entries) {
      if (from !== "client") continue;
      if (transport === "upgrade") {
        sockets.set(conn, await openSocket(baseUrl, ownHeaders(message["headers"])));
      } else if (transport === "close") {
        await sockets.get(conn)?.[Symbol.asyncDispose]();
      } else if (message["type"] === "response.interrupt") {
        done.interrupts.push(await sockets.get(conn)!.turn(message));
      } else {
        const recorded = answers[done.turns.length]!;
        // Where the capture's server had lost the id, so must this one.
        if (recorded.code !== null) ids.clear();
        const turn =
          transport === "http"
            ? await exchangeStream(
                server.root + String(message["path"]),
                translate(message["body"] as Wire, ids),
                ownHeaders(message["headers"]),
              )
            : await sockets.get(conn)!.turn(translate(message, ids));
        done.turns.push(turn);
        learn(recorded, turn, ids);
      }
    }
  } finally {
    for (const socket of sockets.values()) await socket[Symbol.asyncDispose]();
  }
  return done;
}

/**
 * A server whose model writes what the capture's did, so that outputs find their calls. Over HTTP Codex sends
 * the calls along, and the simulated model cannot be made to write the reasoning that stands before them.
 */
function startFor(entries: readonly Entry[]): Promise<ObservedServer> {
  const isHttp = entries.some(({ transport }) => transport === "http");
  const forced = isHttp ? null : { lines: forcedLines(entries), encoding: "canonical" as const };
  return observedServer(openSimulatedModel(), forced);
}

test("all ten captures are here", () => assert.equal(captureNames.length, 10));

for (const name of captureNames) {
  test(`every message of ${name} gets the kind of answer it was recorded with`, async () => {
    const entries = readCapture(name);
    await using server = await startFor(entries);
    const { turns, interrupts } = await replay(entries, server);
    const recorded = recordedAnswers(entries);
    assert.equal(turns.length, recorded.length);
    assert.ok(turns.length >= 2);
    for (const [index, { code }] of recorded.entries()) {
      const turn = turns[index]!;
      assert.equal(turn.error?.["code"] ?? null, code, JSON.stringify(turn.error));
      if (code === null) assert.equal(turn.response?.["status"], "completed");
    }
    // Codex steers Lite models with an event this version refuses; the socket and the chain go on.
    for (const { error } of interrupts) assert.equal(error?.["code"], "invalid_value");
  });
}

test("calls come back as Codex recorded them, and their outputs are small chained deltas", async () => {
  for (const name of ["tool-resume-ws", "code-ws", "search-ws", "lite-ws"]) {
    const entries = readCapture(name);
    await using server = await startFor(entries);
    const { turns } = await replay(entries, server);
    const written = forcedLines(entries).map(({ output }) => output.map(callFields));
    const answered = turns
      .map((turn) => turn.response?.["output"] as Wire[])
      .filter((output) => output.length > 0);
    assert.deepEqual(
      answered.map((output) => output.map(callFields)),
      written,
      name,
    );
    for (const turn of turns) {
      const usage = turn.response?.["usage"] as Wire;
      const details = usage["input_tokens_details"] as Wire;
      const fresh = Number(usage["input_tokens"]) - Number(details["cached_tokens"]);
      const isDelta = turn.response?.["previous_response_id"] !== null && turn !== turns[1];
      if (isDelta) assert.ok(fresh < Number(usage["input_tokens"]) / 4, `${name}: ${fresh} new tokens`);
    }
  }
});

/** What a client acts on. */
function callFields(item: Wire): unknown[] {
  const { type, name, namespace, arguments: text, input, content } = item;
  const texts = Array.isArray(content) ? content.map((part: Wire) => part["text"]) : content;
  return [type, name, namespace, typeof text === "string" ? JSON.parse(text) : text, input, texts];
}
