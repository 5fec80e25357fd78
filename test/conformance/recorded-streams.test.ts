/** Recorded streams of the hosted API: what it sends is known here, and what it wrote can be sent to this server. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { itemSchema, toolSchema } from "@slipstream-stack/protocol";
import { observedServer, openSimulatedModel } from "../support/observed-server.ts";
import { documentedRows } from "./support/compatibility-document.ts";
import { exchange, type Wire } from "./support/exchange.ts";

const folder = new URL("./fixtures/streams/", import.meta.url);
const ending = ".chunks.txt";
const names = readdirSync(folder)
  .filter((name) => name.endsWith(ending))
  .map((name) => name.slice(0, -ending.length))
  .sort();

function readStream(name: string): Wire[] {
  const lines = readFileSync(new URL(`${name}${ending}`, folder), "utf8").split("\n");
  return lines.filter((line) => line.trim() !== "").map((line) => JSON.parse(line) as Wire);
}

/** Everything a stream says was written, over its responses. */
function outputOf(events: readonly Wire[]): Wire[] {
  const ends = events.filter(({ type }) => type === "response.completed");
  return ends.flatMap(({ response }) => (response as Wire)["output"] as Wire[]);
}

test("the recordings are here", () => assert.ok(names.length >= 8));

test("every recorded event type is documented", () => {
  const documented = new Set(documentedRows("Events").map(({ name }) => name));
  for (const name of names) {
    for (const { type } of readStream(name)) assert.ok(documented.has(String(type)), `${name}: ${type}`);
  }
});

for (const name of names) {
  test(`every item and tool of ${name} is parsed and kept`, () => {
    const events = readStream(name);
    const items = events.flatMap(({ item }) => (item === undefined ? [] : [item as Wire]));
    assert.ok(items.length > 0);
    for (const item of [...items, ...outputOf(events)]) assert.deepEqual(itemSchema.parse(item), item);
    for (const { response } of events) {
      for (const tool of ((response as Wire | undefined)?.["tools"] ?? []) as Wire[]) {
        assert.deepEqual(toolSchema.parse(tool), tool);
      }
    }
  });
}

/** The output a client would send for a call. */
function answerTo(item: Wire): Wire[] {
  const call_id = item["call_id"];
  switch (item["type"]) {
    case "function_call":
      return [{ type: "function_call_output", call_id, output: "42", caller: item["caller"] }];
    case "tool_search_call":
      return [{ type: "tool_search_output", call_id, execution: "client", status: "completed", tools: [] }];
    case "apply_patch_call":
      return [{ type: "apply_patch_call_output", call_id, status: "completed" }];
    case "mcp_approval_request":
      return [{ type: "mcp_approval_response", approval_request_id: item["id"], approve: true }];
    default:
      return [];
  }
}

/** Steps of one conversation, joined. */
const conversations = Map.groupBy(names, (name) => name.replace(/\.\d+$/, ""));

for (const [name, steps] of conversations) {
  test(`the history of ${name} is accepted as input, with tools as they were`, async () => {
    await using server = await observedServer(openSimulatedModel());
    const streams = steps.map(readStream);
    const seen = new Set<unknown>();
    const history = streams.flatMap(outputOf).filter(({ id }) => !seen.has(id) && seen.add(id));
    const input = [
      { role: "user", content: "Go on." },
      ...history.flatMap((item) => (item["status"] === "incomplete" ? [] : [item, ...answerTo(item)])),
    ];
    const tools = (streams[0]![0]!["response"] as Wire)["tools"];
    const { status, body } = await exchange(`${server.root}/v1/responses`, {
      model: server.model,
      input,
      tools,
    });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body["status"], "completed");
  });
}
