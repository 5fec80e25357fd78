import assert from "node:assert/strict";
import { test } from "node:test";
import type { AgentOptions } from "./agent-options.ts";
import { createModel } from "./create-model.ts";
import { HistoryLog } from "./history/history-log.ts";
import { ScriptedServer } from "./transport/testing/scripted-server.ts";
import { CountingIds, HastyClock } from "./transport/testing/test-ports.ts";

const never = new AbortController().signal;

async function firstRequest(options: (baseUrl: string) => Partial<AgentOptions>, server: ScriptedServer) {
  const model = createModel(
    {
      ...{ baseUrl: server.baseUrl, model: "m", workspace: "", sandbox: "none", transport: "auto" },
      ...{ clock: new HastyClock(), ids: new CountingIds(), random: () => 0, environment: {} },
      ...options(server.baseUrl),
    },
    [],
  );
  for await (const _ of model.respond(
    new HistoryLog([{ type: "message", role: "user", content: "x" }]),
    never,
  )) {
    // Played to its end.
  }
  await model.close();
  return server.requests.at(-1);
}

test("the address may end with a slash, and the key travels on both transports", async (context) => {
  const server = await ScriptedServer.start();
  context.after(() => server.stop());
  for (const transport of ["http", "websocket"] as const) {
    const request = await firstRequest(
      (baseUrl) => ({ baseUrl: `${baseUrl}/`, apiKey: "k", transport }),
      server,
    );
    assert.equal(request?.transport, transport);
    assert.equal(request?.path, "/v1/responses");
    assert.equal(request?.authorization, "Bearer k");
  }
});

test("techniques switch WebSocket off, and settings of the caller travel beside the harness's own", async (context) => {
  const server = await ScriptedServer.start();
  context.after(() => server.stop());
  const request = await firstRequest(
    () => ({
      techniques: { websocket: false },
      settings: { temperature: 0, max_output_tokens: 9 },
      store: true,
    }),
    server,
  );
  assert.equal(request?.transport, "http");
  const { temperature, max_output_tokens, store, model, tool_choice } = request?.body ?? {};
  assert.deepEqual(
    { temperature, max_output_tokens, store, model, tool_choice },
    { temperature: 0, max_output_tokens: 9, store: true, model: "m", tool_choice: "auto" },
  );
});
