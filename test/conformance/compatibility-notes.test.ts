/** What `docs/compatibility.md` says beside its tables' first two columns. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { wireErrorCodes } from "@slipstream-stack/protocol";
import { type ObservedServer, observedServer, openSimulatedModel } from "../support/observed-server.ts";
import { documentedRows } from "./support/compatibility-document.ts";
import { exchange, exchangeStream, openSocket, type Wire } from "./support/exchange.ts";

test("every error code is documented with its status", () => {
  const documented = documentedRows("Error codes").map(({ name, treatment }) => [name, Number(treatment)]);
  const own = Object.entries(wireErrorCodes).map(([code, { status }]) => [code, status]);
  assert.deepEqual(documented.toSorted(), own.toSorted());
});

const plain = { model: "simulated", input: "hi", temperature: 0 };

let server: ObservedServer;
let baseUrl: string;
before(async () => {
  server = await observedServer(openSimulatedModel());
  baseUrl = `${server.root}/v1`;
});
after(() => server[Symbol.asyncDispose]());

async function create(body: Wire): Promise<Wire> {
  return (await exchange(`${baseUrl}/responses`, { ...plain, ...body })).body;
}
const codeOf = (body: Wire): unknown => (body["error"] as Wire | undefined)?.["code"];
const inputTokens = (body: Wire): number => Number((body["usage"] as Wire)["input_tokens"]);

for (const [encoding, compress] of [
  ["gzip", gzipSync],
  ["zstd", zstdCompressSync],
] as const) {
  test(`a body may come as ${encoding}`, async () => {
    const answer = await fetch(`${baseUrl}/responses`, {
      method: "POST",
      headers: { "content-type": "application/json", "content-encoding": encoding },
      body: compress(JSON.stringify(plain)),
    });
    assert.equal(answer.status, 200);
    assert.equal(((await answer.json()) as Wire)["status"], "completed");
  });
}

test("a stream cannot be taken up again", async () => {
  const { id } = await create({});
  const answer = await fetch(`${baseUrl}/responses/${String(id)}?stream=true`);
  assert.equal(answer.status, 400);
  assert.equal(codeOf((await answer.json()) as Wire), "invalid_value");
});

test("a deleted response stays readable for what continues it, and for nothing else", async () => {
  const first = await create({});
  const second = await create({ previous_response_id: first["id"] });
  const deleted = await fetch(`${baseUrl}/responses/${String(first["id"])}`, { method: "DELETE" });
  assert.deepEqual(await deleted.json(), { id: first["id"], object: "response", deleted: true });
  const third = await create({ previous_response_id: second["id"] });
  assert.ok(inputTokens(third) > inputTokens(second));
  assert.equal(codeOf(await create({ previous_response_id: first["id"] })), "previous_response_not_found");
  assert.equal((await fetch(`${baseUrl}/responses/${String(first["id"])}`)).status, 404);
});

test("a failed continuation evicts what was not stored, and leaves what was", async () => {
  await using socket = await openSocket(baseUrl);
  const orphan = [{ type: "function_call_output", call_id: "call_unknown", output: "" }];
  for (const store of [false, true]) {
    const turn = (body: Wire) => socket.turn({ type: "response.create", ...plain, store, ...body });
    const previous_response_id = (await turn({})).response?.["id"];
    const failed = await turn({ previous_response_id, input: orphan });
    assert.equal(failed.error?.["code"], "invalid_value");
    const retried = await turn({ previous_response_id });
    assert.equal(retried.error?.["code"] ?? null, store ? null : "previous_response_not_found");
  }
});

test("images and files are fixed marks, whatever they hold", async () => {
  const withPart = (part: Wire) => create({ input: [{ role: "user", content: [part] }] });
  const small = await withPart({ type: "input_image", image_url: "data:image/png;base64,AA==" });
  const large = await withPart({
    type: "input_image",
    image_url: `data:image/png;base64,${"A".repeat(4000)}`,
  });
  assert.equal(inputTokens(large), inputTokens(small));
  const file = await withPart({ type: "input_file", file_data: "data:text/plain;base64,AA==" });
  const unknown = await withPart({ type: "input_hologram", data: "x" });
  assert.ok(inputTokens(file) > inputTokens(unknown));
});

test("an input that does not fit is refused, not cut", async () => {
  const input = "many words ".repeat(50_000);
  for (const truncation of ["auto", "disabled"]) {
    const body = await create({ input, truncation });
    assert.deepEqual([codeOf(body), (body["error"] as Wire)["param"]], ["context_length_exceeded", "input"]);
  }
});

test("an error before the first event is an HTTP error also where a stream was wanted", async () => {
  const answer = await exchangeStream(`${baseUrl}/responses`, { ...plain, previous_response_id: "resp_x" });
  assert.equal(answer.status, 400);
  assert.equal(answer.error?.["code"], "previous_response_not_found");
});

test("allowed_tools is a hard constraint that leaves the prompt as it is", async () => {
  const tool = (name: string) => ({ type: "function", name, parameters: { type: "object", properties: {} } });
  const tools = [tool("left"), tool("right")];
  const free = await create({ tools });
  const choice = { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "right" }] };
  const narrowed = await create({ tools, tool_choice: choice });
  const calls = (narrowed["output"] as Wire[]).filter(({ type }) => type === "function_call");
  assert.ok(calls.length > 0);
  assert.ok(calls.every(({ name }) => name === "right"));
  const { input_tokens_details } = narrowed["usage"] as { input_tokens_details: { cached_tokens: number } };
  assert.ok(input_tokens_details.cached_tokens > inputTokens(free) / 2);
});

test("calls of a namespace's tools carry it", async () => {
  const inner = { type: "function", name: "read", parameters: { type: "object", properties: {} } };
  const tools = [{ type: "namespace", name: "files", description: "", tools: [inner] }];
  const answer = await create({ tools, tool_choice: "required", parallel_tool_calls: false });
  const [call] = answer["output"] as Wire[];
  assert.deepEqual([call?.["name"], call?.["namespace"]], ["read", "files"]);
});

test("tools with defer_loading wait for a search where the client offers one", async () => {
  const deferred = { type: "function", name: "rare", defer_loading: true };
  const search = { type: "tool_search", execution: "client" };
  const alone = await create({ tools: [search] });
  const hidden = await create({ tools: [search, deferred] });
  assert.equal(inputTokens(hidden), inputTokens(alone));
  const shown = await create({ tools: [deferred] });
  assert.ok(inputTokens(shown) > inputTokens(await create({})));
});
