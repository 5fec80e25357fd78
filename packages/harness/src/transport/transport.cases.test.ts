import assert from "node:assert/strict";
import { test } from "node:test";
import type { Item } from "@slipstream-stack/protocol";
import { TransportError } from "../errors.ts";
import { HistoryLog } from "../history/history-log.ts";
import { systemClock } from "../ports/system-clock.ts";
import { freezeSettings } from "../request/frozen-settings.ts";
import { HttpTransport } from "./http-transport.ts";
import type { ModelCall, ModelTransport, TransportEvent } from "./model-transport.ts";
import { MemoryTransport } from "./testing/memory-transport.ts";
import { functionCall, ScriptedServer, textMessage } from "./testing/scripted-server.ts";
import type { ScriptedAnswer } from "./testing/wire-script.ts";
import { defaultTimeouts } from "./timeouts.ts";
import { WebSocketTransport } from "./websocket-transport.ts";

/** H1.12: one table of cases, the same events over every transport. */
const cases: readonly {
  readonly name: string;
  readonly answer: ScriptedAnswer;
  readonly expected: readonly string[];
}[] = [
  {
    name: "a text",
    answer: { items: [textMessage("höhe 😀")] },
    expected: ["created", "item-started", "text-delta …", "item message", "completed"],
  },
  {
    name: "several items, one of an unknown type",
    answer: {
      items: [textMessage("a"), functionCall("c1", "shell"), { type: "strange", x: 1 } as unknown as Item],
    },
    expected: [
      ...["created", "item-started", "text-delta …", "item message", "item-started", "item function_call"],
      ...["item-started", "item strange", "completed"],
    ],
  },
  { name: "no item", answer: {}, expected: ["created", "completed"] },
  {
    name: "an incomplete response",
    answer: { items: [textMessage("a")], end: "incomplete" },
    expected: ["created", "item-started", "text-delta …", "item message", "incomplete max_output_tokens"],
  },
  {
    name: "a failed response",
    answer: { items: [textMessage("a")], end: "failed", code: "slow_down" },
    expected: ["created", "item-started", "text-delta …", "item message", "! rejected slow_down null"],
  },
  {
    name: "an error in place of a response",
    answer: {
      fault: { kind: "error", status: 429, code: "rate_limit_exceeded", headers: { "retry-after": "2" } },
    },
    expected: ["! rejected rate_limit_exceeded 429 wait 2000"],
  },
  {
    name: "a connection dropped before output",
    answer: { items: [textMessage("a")], fault: { kind: "drop", afterEvents: 1 } },
    expected: ["created", "! broken broken null"],
  },
  {
    name: "a connection dropped behind an item",
    answer: {
      items: [functionCall("c1", "shell"), textMessage("a")],
      fault: { kind: "drop", afterEvents: 5 },
    },
    expected: ["created", "item-started", "item function_call", "item-started", "! broken broken null"],
  },
  { name: "what is no JSON", answer: { fault: { kind: "garbage" } }, expected: ["! protocol protocol null"] },
];

const settings = freezeSettings({ settings: { model: "m" }, store: false });

function call(): ModelCall {
  return { settings, history: new HistoryLog([{ type: "message", role: "user", content: "hi" }]).view() };
}

type Make = (
  script: readonly ScriptedAnswer[],
) => Promise<{ transport: ModelTransport; stop: () => Promise<void> }>;

const transports: Readonly<Record<string, Make>> = {
  async memory(script) {
    return { transport: new MemoryTransport(script), stop: async () => {} };
  },
  async http(script) {
    const server = await ScriptedServer.start(script);
    const url = `${server.baseUrl}/responses`;
    const transport = new HttpTransport({
      url,
      headers: {},
      clock: systemClock,
      timeouts: defaultTimeouts,
      fetch,
    });
    return { transport, stop: () => server.stop() };
  },
  async websocket(script) {
    const server = await ScriptedServer.start(script);
    const url = `${server.baseUrl.replace("http", "ws")}/responses`;
    const transport = new WebSocketTransport({
      url,
      headers: {},
      clock: systemClock,
      timeouts: defaultTimeouts,
      delta: true,
      settingsInheritance: true,
    });
    return {
      transport,
      stop: async () => {
        await transport.close();
        await server.stop();
      },
    };
  },
};

function describe(event: TransportEvent): string {
  switch (event.type) {
    case "text-delta":
      return `text-delta ${event.delta}`;
    case "item":
      return `item ${event.item.type}`;
    case "incomplete":
      return `incomplete ${event.reason}`;
    default:
      return event.type;
  }
}

async function play(transport: ModelTransport, signal = new AbortController().signal): Promise<string[]> {
  const seen: string[] = [];
  try {
    for await (const event of transport.respond(call(), signal)) seen.push(describe(event));
  } catch (error) {
    assert.ok(TransportError.isInstance(error), String(error));
    const wait = error.retryAfterMs === null ? "" : ` wait ${error.retryAfterMs}`;
    seen.push(`! ${error.kind} ${error.code} ${error.status}${wait}`);
  }
  return seen;
}

for (const [kind, make] of Object.entries(transports)) {
  for (const { name, answer, expected } of cases) {
    test(`${kind}: ${name}`, async () => {
      const { transport, stop } = await make([answer]);
      try {
        assert.deepEqual(await play(transport), ["sent", ...expected]);
        assert.equal((await play(transport)).at(-1), "completed", "the transport can be used again");
      } finally {
        await stop();
      }
    });
  }

  test(`${kind}: an abort ends the response with the signal's reason`, async () => {
    const { transport, stop } = await make([{ fault: { kind: "hang", afterEvents: 1 } }]);
    const abort = new AbortController();
    const reason = new Error("stop");
    try {
      await assert.rejects(
        async () => {
          for await (const event of transport.respond(call(), abort.signal)) {
            if (event.type === "created") abort.abort(reason);
          }
        },
        (error) => error === reason,
      );
    } finally {
      await stop();
    }
  });
}
