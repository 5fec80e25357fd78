import assert from "node:assert/strict";
import { test } from "node:test";
import type { Item } from "@slipstream-stack/protocol";
import fc from "fast-check";
import { createModel } from "../create-model.ts";
import { HistoryLog } from "../history/history-log.ts";
import { functionCall, ScriptedServer, textMessage } from "../transport/testing/scripted-server.ts";
import { CountingIds, HastyClock, RecordingTools } from "../transport/testing/test-ports.ts";
import { answerEvents, type Fault, type ScriptedAnswer } from "../transport/testing/wire-script.ts";
import { runTurn } from "./run-turn.ts";
import { toolCallOf } from "./tool-call.ts";

const fault: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({ kind: fc.constant("drop" as const), afterEvents: fc.nat({ max: 12 }) }),
  fc.record({
    kind: fc.constant("error" as const),
    status: fc.constantFrom(500, 503, 429),
    code: fc.constantFrom("server_error", "engine_restarting", "slow_down"),
  }),
  fc.constant({ kind: "garbage" } as const),
  fc.record({
    kind: fc.constant("error" as const),
    status: fc.constant(400),
    code: fc.constant("websocket_connection_limit_reached"),
  }),
);

/** A lap: how many calls it makes, whether it talks first, and the faults its answer meets before it succeeds. */
const lap = fc.record({
  calls: fc.integer({ min: 1, max: 3 }),
  talks: fc.boolean(),
  faults: fc.array(fault, { maxLength: 2 }),
});

const session = fc.record({
  laps: fc.array(lap, { minLength: 1, maxLength: 4 }),
  transport: fc.constantFrom("auto" as const, "http" as const, "websocket" as const),
  inherits: fc.boolean(),
});

function script(
  laps: readonly { calls: number; talks: boolean; faults: readonly Fault[] }[],
): ScriptedAnswer[] {
  return laps.flatMap(({ calls, talks, faults }, index) => {
    const items: Item[] = [
      ...(talks ? [textMessage(`lap ${index}`)] : []),
      ...Array.from({ length: calls }, (_, call) => functionCall(`c${index}_${call}`, "tool")),
    ];
    // A stream cut behind its last event is not broken.
    const last = answerEvents("", { items }, null).length - 1;
    const struck = faults.map((each) =>
      each.kind === "drop" ? { ...each, afterEvents: Math.min(each.afterEvents, last) } : each,
    );
    return [...struck.map((each) => ({ items, fault: each })), { items }];
  });
}

/** What must hold of every history, whatever happened to the streams it came from. */
function checkHistory(items: readonly Item[], ran: readonly string[], scripted: readonly string[]): void {
  const calls = items.map(toolCallOf).flatMap((call) => (call === null ? [] : [call.callId]));
  const outputs = items.flatMap((item) =>
    item.type === "function_call_output" ? [String(item["call_id"])] : [],
  );
  assert.deepEqual(
    ran,
    scripted,
    "each call of the script ran once, in order, though broken answers came again",
  );
  assert.deepEqual(calls, scripted);
  assert.deepEqual(outputs, scripted, "each call has one output");
}

test("through any mix of faults each finished call runs once and the server always sees the whole history", async () => {
  await fc.assert(
    fc.asyncProperty(session, async ({ laps, transport, inherits }) => {
      const server = await ScriptedServer.start(script(laps));
      server.inheritsSettings = inherits;
      const clock = new HastyClock();
      const model = createModel(
        {
          ...{ baseUrl: server.baseUrl, model: "m", workspace: "", sandbox: "none", transport },
          ...{ clock, ids: new CountingIds(), random: () => 0, environment: {} },
        },
        [],
      );
      try {
        const log = new HistoryLog([{ type: "message", role: "user", content: "go" }]);
        const tools = new RecordingTools();
        const ports = { model, tools, clock, ids: new CountingIds(), maxLaps: 50 };
        const outcome = await runTurn(log, ports, new AbortController().signal, () => {});
        assert.equal(outcome.kind, "answered");
        const ran = tools.calls.map((call) => call.callId);
        const scripted = laps.flatMap(({ calls }, index) =>
          Array.from({ length: calls }, (_, call) => `c${index}_${call}`),
        );
        checkHistory(log.items(), ran, scripted);
        assert.deepEqual(server.requests.at(-1)?.resolved, log.items().slice(0, -1));
      } finally {
        await model.close();
        await server.stop();
      }
    }),
    { numRuns: 60 },
  );
});
