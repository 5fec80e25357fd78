import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { configSchema } from "../config/schema.ts";
import { withCode } from "../testing/expect-code.ts";
import { fakeContext } from "../testing/fake-context.ts";
import { scratchFolder } from "../testing/scratch.ts";
import { startServer } from "./start-server.ts";

const simulated = { engine: "simulated", port: 0, model: "tiny", log_level: "silent" } as const;

function start(folder: string, content: object = {}, env: Record<string, string> = {}) {
  return startServer(configSchema.parse({ ...simulated, ...content }), fakeContext(folder, env).host);
}

async function ask(root: string, body: object, key?: string) {
  const headers = { "content-type": "application/json", ...(key ? { authorization: `Bearer ${key}` } : {}) };
  const response = await fetch(`${root}/v1/responses`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as { id: string; output: unknown[] } };
}

test("a server answers, remembers over a restart, and leaves no engine behind", async () => {
  using home = scratchFolder();
  const first = await start(home.path);
  const { status, body } = await ask(first.root, { model: "tiny", input: "hello" });
  assert.equal(status, 200);
  assert.ok(body.output.length > 0);
  await first.close(0);
  assert.ok(existsSync(join(home.path, ".local/state/slipstream/responses.sqlite")));

  const second = await start(home.path);
  const found = await fetch(`${second.root}/v1/responses/${body.id}`);
  assert.equal(found.status, 200);
  assert.deepEqual(((await found.json()) as { output: unknown[] }).output, body.output);
  const next = await ask(second.root, { model: "tiny", input: "and?", previous_response_id: body.id });
  assert.equal(next.status, 200);
  await second.close(0);
});

test("responses kept in memory leave no database", async () => {
  using home = scratchFolder();
  const server = await start(home.path, { store: ":memory:" });
  assert.equal((await ask(server.root, { model: "tiny", input: "hello" })).status, 200);
  await server.close(0);
  assert.equal(existsSync(join(home.path, ".local/state/slipstream/responses.sqlite")), false);
});

test("readiness, listings and metrics are there", async () => {
  using home = scratchFolder();
  const server = await start(home.path, { store: ":memory:" });
  assert.equal((await fetch(`${server.root}/readyz`)).status, 200);
  const models = (await (await fetch(`${server.root}/v1/models`)).json()) as { data: { id: string }[] };
  assert.deepEqual(
    models.data.map(({ id }) => id),
    ["tiny"],
  );
  assert.equal((await fetch(`${server.root}/codex/models`)).status, 200);
  const metrics = await (await fetch(`${server.root}/metrics`)).text();
  assert.match(metrics, /^slipstream_engine_kv_tokens_limit\{model="tiny"\} \d+$/m);
  assert.match(metrics, /^process_cpu_seconds_total /m);
  await server.close(0);
});

test("keys of the environment are asked for, and nobody listens elsewhere without one", async () => {
  using home = scratchFolder();
  const server = await start(home.path, { store: ":memory:" }, { SLIPSTREAM_API_KEYS: "one,two" });
  assert.equal((await ask(server.root, { model: "tiny", input: "x" })).status, 401);
  assert.equal((await ask(server.root, { model: "tiny", input: "x" }, "two")).status, 200);
  await server.close(0);
  await assert.rejects(start(home.path, { store: ":memory:", host: "0.0.0.0" }), { code: "keys_required" });
});

test("a forced session is written as it stands in its file; a broken file is refused at start", async () => {
  using home = scratchFolder();
  const path = join(home.path, "forced.jsonl");
  const message = {
    type: "message",
    role: "assistant",
    content: [{ type: "output_text", text: "as forced" }],
  };
  writeFileSync(path, `${JSON.stringify({ output: [message] })}\n`);
  const server = await start(home.path, { store: ":memory:", teacher_forcing: path });
  const { body } = await ask(server.root, { model: "tiny", input: "x" });
  assert.match(JSON.stringify(body.output), /as forced/);
  await server.close(0);
  writeFileSync(path, "not json\n");
  await assert.rejects(start(home.path, { teacher_forcing: path }), { code: "trajectory_unreadable" });
});

test("what fails later closes what was opened before", async () => {
  using home = scratchFolder();
  await assert.rejects(start(home.path, { engine: "llama" }), withCode("model_unknown"));
  const server = await start(home.path);
  await server.close(0);
});
