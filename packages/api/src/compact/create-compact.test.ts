import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Item, ResponseObject } from "@slipstream-stack/protocol";
import type { IncomingCreate } from "../respond/incoming.ts";
import { fakeResponse } from "../transport/testing/fake-respond.ts";
import { type CompactPorts, createCompact } from "./create-compact.ts";
import { createSealer } from "./sealer.ts";

const sealer = createSealer(new Uint8Array(32).fill(3));

function incomingOf(request: Partial<IncomingCreate["request"]>): IncomingCreate {
  return {
    request: { model: "smollm2-135m-instruct", ...request },
    settingsKey: "key",
    scope: "default",
    connection: null,
    transport: "http",
    bytesIn: 100,
    bytesOut: () => 0,
    parseMs: 0,
    inherit: null,
    headers: {},
    signal: new AbortController().signal,
  };
}

const user = (text: string): Item => ({ type: "message", role: "user", content: text });
const written = (text: string): Item => ({
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text }],
});

/** Ports whose pipeline answers with `answer`, and the requests it was given. */
function scripted(answer: Partial<ResponseObject>): CompactPorts & { readonly asked: IncomingCreate[] } {
  const asked: IncomingCreate[] = [];
  let ids = 0;
  return {
    asked,
    respond: async (incoming) => {
      asked.push(incoming);
      return { ...fakeResponse("resp_summary", incoming), status: "completed", ...answer };
    },
    history: async ({ request }) => (Array.isArray(request.input) ? request.input : []),
    sealer,
    newId: (prefix) => `${prefix}_${++ids}`,
    wallClock: () => 1_800_000_000_999,
  };
}

describe("compaction", () => {
  it("answers with the user's messages and the summary, sealed", async () => {
    const usage = {
      input_tokens: 90,
      input_tokens_details: { cached_tokens: 80, cache_write_tokens: 10 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 95,
    };
    const ports = scripted({ output: [written(" The tests pass. ")], usage });
    const input = [user("run the tests"), written("they pass")];
    const answer = await createCompact(ports)(incomingOf({ input }));
    const output = answer.output as { encrypted_content?: string }[];
    assert.deepEqual(answer, {
      id: "resp_2",
      object: "response.compaction",
      created_at: 1_800_000_000,
      output: [
        {
          ...user("run the tests"),
          content: [{ type: "input_text", text: "run the tests" }],
          id: "msg_3",
          status: "completed",
        },
        { id: "cmp_1", type: "compaction", encrypted_content: output[1]?.encrypted_content },
      ],
      usage,
    });
    assert.equal(sealer.open(output[1]?.encrypted_content ?? ""), "The tests pass.");
  });

  it("has the summary written on the unchanged conversation, without tools being called or anything stored", async () => {
    const ports = scripted({ output: [written("summary")] });
    const tools = [{ type: "function" as const, name: "shell" }];
    const input = [user("one")];
    await createCompact(ports)(incomingOf({ input, tools, store: true, text: { verbosity: "low" } }));
    const [asked] = ports.asked;
    assert.ok(asked !== undefined && Array.isArray(asked.request.input));
    assert.deepEqual(asked.request.input.slice(0, 1), input);
    assert.equal(asked.request.input.length, 2);
    assert.equal(asked.request.tools, tools);
    assert.equal(asked.request.tool_choice, "none");
    assert.equal(asked.request.store, false);
    // Other settings under the same key would answer later requests with these.
    assert.notEqual(asked.settingsKey, "key");
  });

  it("takes a summary that was cut at its limit", async () => {
    const ports = scripted({ status: "incomplete", output: [written("half a")] });
    const answer = await createCompact(ports)(incomingOf({ input: [user("one")], max_output_tokens: 7 }));
    const output = answer.output as { encrypted_content?: string }[];
    assert.equal(sealer.open(output.at(-1)?.encrypted_content ?? ""), "half a");
    assert.equal(ports.asked[0]?.request.max_output_tokens, 7);
  });

  it("fails where there is nothing to compact or no summary came", async () => {
    await assert.rejects(createCompact(scripted({}))(incomingOf({})), {
      code: "invalid_value",
      param: "input",
    });
    const one = incomingOf({ input: [user("one")] });
    for (const answer of [{ output: [] }, { status: "failed" as const, output: [written("x")] }]) {
      await assert.rejects(createCompact(scripted(answer))(one), { code: "server_error" });
    }
  });

  it("passes on why the pipeline refused", async () => {
    const refused = Object.assign(new Error("full"), { code: "context_length_exceeded" });
    const ports = { ...scripted({}), respond: () => Promise.reject(refused) };
    await assert.rejects(createCompact(ports)(incomingOf({ input: [user("one")] })), refused);
  });
});
