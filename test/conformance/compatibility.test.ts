/** `docs/compatibility.md`, row by row, against the real server. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ObservedServer, observedServer, openSimulatedModel } from "../support/observed-server.ts";
import { documentedRows } from "./support/compatibility-document.ts";
import {
  conversationBefore,
  itemSamples,
  neutralFields,
  refusedFields,
  supportedFields,
  toolSamples,
} from "./support/compatibility-samples.ts";
import { exchange, exchangeStream, type HttpAnswer, openSocket, type Wire } from "./support/exchange.ts";

const model = "simulated";
const plain = { model, input: "hi", temperature: 0 };

let server: ObservedServer;
let baseUrl: string;
before(async () => {
  server = await observedServer(openSimulatedModel());
  baseUrl = `${server.root}/v1`;
});
after(() => server[Symbol.asyncDispose]());

const create = (body: Wire): Promise<HttpAnswer> => exchange(`${baseUrl}/responses`, body);
const errorOf = ({ body }: HttpAnswer): Wire => (body["error"] ?? {}) as Wire;
const inputTokens = ({ body }: HttpAnswer): unknown => (body["usage"] as Wire)["input_tokens"];
const codeIn = (treatment: string): string | null => /refused `([a-z_]+)`/.exec(treatment)?.[1] ?? null;

/** What was written, ids apart. */
function textOf({ body }: HttpAnswer): unknown {
  return ((body["output"] ?? []) as Wire[]).map(({ type, content, arguments: text }) => [
    type,
    content,
    text,
  ]);
}

/** A compaction item that this server can open. */
async function sealedCompaction(): Promise<Wire> {
  const { body } = await exchange(`${baseUrl}/responses/compact`, plain);
  return (body["output"] as Wire[]).find(({ type }) => type === "compaction")!;
}

/** Every row has a sample and every sample a row, so that neither can be forgotten. */
function assertCovered(heading: string, samples: readonly string[]): void {
  const names = documentedRows(heading).map(({ name }) => name);
  assert.deepEqual(names.toSorted(), [...samples].sort());
  assert.equal(new Set(names).size, names.length, "a name stands twice");
}

describe("endpoints", () => {
  for (const { name, treatment } of documentedRows("Endpoints")) {
    test(`${name} is ${treatment}`, async () => {
      const [method = "", path = ""] = name.split(" ");
      if (name === "GET /v1/responses") {
        await using socket = await openSocket(baseUrl);
        assert.equal(
          (await socket.turn({ type: "response.create", ...plain })).response?.["status"],
          "completed",
        );
        assert.equal((await fetch(server.root + path)).status, 405);
        return;
      }
      const made = String((await create(plain)).body["id"]);
      const id = path.startsWith("/v1/models") ? model : made;
      const answer = await fetch(server.root + path.replace("{id}", id), {
        method,
        ...(method === "POST"
          ? { body: JSON.stringify(plain), headers: { "content-type": "application/json" } }
          : {}),
      });
      const code = codeIn(treatment);
      if (code === null) {
        assert.equal(answer.status, 200);
        await answer.arrayBuffer();
        return;
      }
      assert.equal(treatment, `refused \`${code}\``);
      assert.equal(((await answer.json()) as { error: Wire }).error["code"], code);
    });
  }
});

describe("request fields", () => {
  test("each has a sample", () => {
    assertCovered("Request fields", [
      ...Object.keys(supportedFields),
      ...Object.keys(neutralFields),
      ...Object.keys(refusedFields),
    ]);
  });
  for (const { name, treatment } of documentedRows("Request fields")) {
    test(`${name} is ${treatment}`, async () => {
      const code = codeIn(treatment);
      if (code !== null) {
        const refused = await create({ ...plain, [name]: refusedFields[name]?.given });
        assert.equal(refused.status, 400);
        assert.deepEqual([errorOf(refused)["code"], errorOf(refused)["param"]], [code, name]);
        const neutral = await create({ ...plain, [name]: refusedFields[name]?.neutral });
        assert.equal(neutral.status, 200, "its empty value is neutral");
        return;
      }
      if (treatment === "neutral") {
        const without = await create(plain);
        const withField = await create({ ...plain, [name]: neutralFields[name] });
        assert.equal(withField.status, 200, JSON.stringify(withField.body));
        assert.deepEqual(textOf(withField), textOf(without));
        assert.equal(inputTokens(withField), inputTokens(without));
        return;
      }
      assert.equal(treatment, "supported");
      const check = supportedFields[name];
      assert.ok(check !== undefined);
      await check({ create, plain, baseUrl });
    });
  }
});

describe("input items", () => {
  test("each has a sample", () => assertCovered("Input items", Object.keys(itemSamples)));
  for (const { name, treatment } of documentedRows("Input items")) {
    test(`${name} is ${treatment}`, async () => {
      const sample = name === "compaction" ? await sealedCompaction() : itemSamples[name]!;
      const before = conversationBefore(sample);
      const without = await create({ ...plain, input: before });
      const given = await create({ ...plain, input: [...before, sample] });
      const code = codeIn(treatment);
      if (code !== null) {
        assert.equal(errorOf(given)["code"], code);
        return;
      }
      assert.equal(given.status, 200, JSON.stringify(given.body));
      const isSeen = Number(inputTokens(given)) > Number(inputTokens(without));
      assert.equal(isSeen ? "rendered" : "neutral", treatment);
    });
  }
  test("a compaction of another server is neutral", async () => {
    const given = await create({
      ...plain,
      input: [{ role: "user", content: "hi" }, itemSamples["compaction"]],
    });
    assert.equal(inputTokens(given), inputTokens(await create(plain)));
  });
  test("an output without its call is refused", async () => {
    const answer = await create({
      ...plain,
      input: [{ type: "function_call_output", call_id: "call_x", output: "" }],
    });
    assert.deepEqual([errorOf(answer)["code"], errorOf(answer)["param"]], ["invalid_value", "input"]);
  });
});

describe("tools", () => {
  test("each has a sample", () => assertCovered("Tools", Object.keys(toolSamples)));
  for (const { name, treatment } of documentedRows("Tools")) {
    test(`${name} is ${treatment}`, async () => {
      const without = await create(plain);
      const given = await create({ ...plain, tools: [toolSamples[name]] });
      assert.equal(given.status, 200, JSON.stringify(given.body));
      const isSeen = Number(inputTokens(given)) > Number(inputTokens(without));
      assert.equal(isSeen ? "rendered" : "neutral", treatment);
    });
  }
  test("a choice of a tool that is not there is refused, one of a hosted tool counts as auto", async () => {
    const tools = [toolSamples["function"]];
    const unknown = await create({ ...plain, tools, tool_choice: { type: "function", name: "other" } });
    assert.deepEqual([errorOf(unknown)["code"], errorOf(unknown)["param"]], ["invalid_value", "tool_choice"]);
    const hosted = await create({ ...plain, tools, tool_choice: { type: "file_search" } });
    assert.deepEqual(textOf(hosted), textOf(await create({ ...plain, tools })));
  });
});

test("events: what is sent is documented as sent", async () => {
  const rows = documentedRows("Events");
  const sent = new Set(rows.filter(({ treatment }) => treatment === "sent").map(({ name }) => name));
  const custom = toolSamples["custom"];
  const streams = await Promise.all([
    exchangeStream(`${baseUrl}/responses`, plain),
    exchangeStream(`${baseUrl}/responses`, { ...plain, max_output_tokens: 1 }),
    exchangeStream(`${baseUrl}/responses`, {
      ...plain,
      tools: [toolSamples["function"]],
      tool_choice: "required",
    }),
    exchangeStream(`${baseUrl}/responses`, { ...plain, tools: [custom], tool_choice: "required" }),
  ]);
  const seen = new Set(streams.flatMap(({ events }) => events.map(({ type }) => String(type))));
  assert.deepEqual(
    [...seen].filter((type) => !sent.has(type)),
    [],
  );
  const rest = [...sent].filter((type) => !seen.has(type));
  // A model that thinks, a failing engine and errors of a socket have tests of their own.
  assert.deepEqual(rest.sort(), [
    "error",
    "response.failed",
    "response.inject.failed",
    "response.reasoning_text.delta",
    "response.reasoning_text.done",
    "response.steer.failed",
  ]);
});

const clientMessages: Readonly<Record<string, Wire>> = {
  "response.create": plain,
  "response.steer": { previous_response_id: "resp_1", input: "stop" },
  "response.inject": { response_id: "resp_1", input: [] },
  "response.interrupt": { response_id: "resp_1", mode: "discard_partial_items" },
};
describe("client events", () => {
  test("each has a sample", () => assertCovered("Client events", Object.keys(clientMessages)));
  for (const { name, treatment } of documentedRows("Client events")) {
    test(`${name} is ${treatment}, and the socket goes on`, async () => {
      await using socket = await openSocket(baseUrl);
      const turn = await socket.turn({ type: name, ...clientMessages[name] });
      assert.equal(turn.error?.["code"] ?? null, codeIn(treatment));
      const next = await socket.turn({ type: "response.create", ...plain });
      assert.equal(next.response?.["status"], "completed");
    });
  }
});
