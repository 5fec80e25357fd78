import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Item, isKnownItem, itemSchema } from "./item.ts";

type Raw = Record<string, unknown>;

/** One of every item of the wire specification, section 5. */
const known: Raw[] = [
  { type: "message", id: "msg_1", role: "user", content: "hi", status: "completed" },
  { type: "message", role: "developer", content: [{ type: "input_text", text: "be brief" }] },
  {
    type: "message",
    id: "msg_2",
    role: "assistant",
    status: "completed",
    phase: "final_answer",
    content: [
      { type: "output_text", text: "yes", annotations: [], logprobs: [] },
      { type: "refusal", refusal: "no" },
    ],
  },
  {
    type: "message",
    role: "user",
    content: [
      { type: "input_image", image_url: "data:image/png;base64,AA==", detail: "auto" },
      { type: "input_file", file_id: "file_1", filename: "a.txt" },
      { type: "input_audio", input_audio: { data: "AA==", format: "wav" } },
      { type: "input_text", text: "x", prompt_cache_breakpoint: { mode: "explicit" } },
    ],
  },
  { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "short" }] },
  {
    type: "reasoning",
    summary: [],
    content: [{ type: "reasoning_text", text: "long" }],
    encrypted_content: "sealed",
  },
  {
    type: "function_call",
    id: "fc_1",
    call_id: "call_1",
    name: "run",
    arguments: "{}",
    namespace: "shell",
    status: "completed",
    caller: { type: "direct" },
  },
  { type: "function_call_output", id: "fco_1", call_id: "call_1", output: "done" },
  {
    type: "function_call_output",
    call_id: "call_1",
    output: [
      { type: "input_text", text: "a" },
      { type: "input_image", file_id: "file_1" },
    ],
  },
  { type: "custom_tool_call", call_id: "call_2", name: "patch", input: "*** Begin" },
  { type: "custom_tool_call_output", call_id: "call_2", output: "ok" },
  { type: "compaction", id: "cmp_1", encrypted_content: "sealed" },
  { type: "additional_tools", role: "developer", tools: [{ type: "function", name: "run" }] },
  { type: "item_reference", id: "msg_1" },
];

const foreign: Raw[] = [
  {
    type: "tool_search_call",
    id: "tsc_1",
    call_id: null,
    execution: "server",
    arguments: { query: "x" },
    status: "completed",
  },
  { type: "tool_search_output", call_id: "call_1", execution: "client", status: "completed", tools: [] },
  { type: "program", id: "cm_1", call_id: "call_1", code: "text(1)", fingerprint: "f" },
  { type: "program_output", id: "cmo_1", call_id: "call_1", result: "1", status: "completed" },
  {
    type: "shell_call",
    id: "sh_1",
    call_id: "call_1",
    action: { commands: ["ls"], timeout_ms: null, max_output_length: null },
  },
  {
    type: "shell_call_output",
    call_id: "call_1",
    output: [{ stdout: "", stderr: "", outcome: { type: "exit", exit_code: 0 } }],
  },
  {
    type: "apply_patch_call",
    id: "apc_1",
    call_id: "call_1",
    operation: { type: "delete_file", path: "a" },
    status: "completed",
  },
  { type: "apply_patch_call_output", call_id: "call_1", status: "failed" },
  {
    type: "local_shell_call",
    id: "l",
    call_id: "call_1",
    action: { type: "exec", command: ["ls"], env: {} },
  },
  { type: "local_shell_call_output", id: "l", output: "x" },
  { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "x" } },
  { type: "file_search_call", id: "fs_1", queries: [], status: "completed" },
  { type: "code_interpreter_call", id: "ci_1", code: "1", container_id: "c", outputs: null },
  { type: "image_generation_call", id: "ig_1", status: "completed", result: null },
  { type: "computer_call", id: "cc_1", call_id: "call_1", pending_safety_checks: [] },
  { type: "computer_call_output", call_id: "call_1", output: { type: "computer_screenshot" } },
  { type: "mcp_list_tools", id: "mcpl_1", server_label: "s", tools: [] },
  { type: "mcp_call", id: "mcp_1", server_label: "s", name: "n", arguments: "{}" },
  { type: "mcp_approval_request", id: "mcpr_1", server_label: "s", name: "n", arguments: "{}" },
  { type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: true },
  { type: "configuration_update", reasoning: { effort: "low" } },
  { type: "compaction_trigger" },
  { type: "multi_agent_call", call_id: "call_1", action: "list_agents", arguments: "{}" },
];

const parse = (raw: unknown): Item => itemSchema.parse(raw);

for (const raw of known) {
  test(`${String(raw["type"])} is known and keeps its fields: ${JSON.stringify(raw).slice(0, 60)}`, () => {
    const item = parse(raw);
    assert.ok(isKnownItem(item));
    assert.deepEqual(item, raw);
  });
}

for (const raw of foreign) {
  test(`${String(raw["type"])} is kept as it came`, () => {
    const item = parse(raw);
    assert.ok(!isKnownItem(item));
    assert.deepEqual(item, raw);
  });
}

test("a member that would be a prototype is dropped, and reaches nothing", () => {
  const raw: unknown = JSON.parse('{"type":"future_x","kept":1,"__proto__":{"reached":true}}');
  const item = parse(raw);
  assert.deepEqual(Object.entries(item).sort(), [
    ["kept", 1],
    ["type", "future_x"],
  ]);
  assert.equal((item as { reached?: unknown }).reached, undefined);
  assert.equal(({} as { reached?: unknown }).reached, undefined);
});

test("items of types nobody knows yet are kept whole", () => {
  const names = fc.string().filter((name) => name !== "__proto__");
  fc.assert(
    fc.property(fc.dictionary(names, fc.jsonValue()), fc.string({ minLength: 1 }), (fields, name) => {
      const raw = { ...fields, type: `future_${name}` };
      assert.deepEqual(parse(raw), raw);
    }),
  );
});

test("unknown fields of known items are kept", () => {
  const raw = { type: "message", role: "user", content: "x", internal_chat_message_metadata_passthrough: {} };
  assert.deepEqual(parse(raw), raw);
});

test("an easy message gets its type, whatever its content is", () => {
  for (const role of ["user", "assistant", "system", "developer"]) {
    const item = parse({ role, content: "hi" });
    assert.equal(item.type, "message");
  }
  assert.equal(parse({ type: null, role: "user", content: [] }).type, "message");
});

test("an id alone is a reference", () => {
  assert.deepEqual(parse({ id: "msg_1" }), { type: "item_reference", id: "msg_1" });
  assert.deepEqual(parse({ id: "msg_1", type: null }), { type: "item_reference", id: "msg_1" });
});

test("reasoning without a summary has an empty one", () => {
  assert.deepEqual((parse({ type: "reasoning" }) as { summary?: unknown }).summary, []);
});

const wrong: [string, Raw, (string | number)[]][] = [
  ["no type", {}, ["type"]],
  ["a type that is no string", { type: 7 }, ["type"]],
  ["a role nobody has", { role: "tool", content: "x" }, ["role"]],
  ["a message without content", { type: "message", role: "user" }, ["content"]],
  ["a content of a wrong type", { role: "user", content: 7 }, ["content"]],
  ["a call without name", { type: "function_call", call_id: "c", arguments: "" }, ["name"]],
  ["a call with an empty name", { type: "function_call", call_id: "c", name: "", arguments: "" }, ["name"]],
  [
    "arguments that are no text",
    { type: "function_call", call_id: "c", name: "n", arguments: {} },
    ["arguments"],
  ],
  ["a call without call_id", { type: "function_call", name: "n", arguments: "" }, ["call_id"]],
  ["an output with a null call_id", { type: "function_call_output", call_id: null, output: "" }, ["call_id"]],
  ["an output without output", { type: "function_call_output", call_id: "c" }, ["output"]],
  ["a custom call without input", { type: "custom_tool_call", call_id: "c", name: "n" }, ["input"]],
  ["a compaction without content", { type: "compaction" }, ["encrypted_content"]],
  ["tools that are no list", { type: "additional_tools", tools: {} }, ["tools"]],
  ["a tool without type", { type: "additional_tools", tools: [{}] }, ["tools", 0, "type"]],
  ["a summary without text", { type: "reasoning", summary: [{ type: "s" }] }, ["summary", 0, "text"]],
  ["a reference with an empty id", { type: "item_reference", id: "" }, ["id"]],
];
for (const [name, raw, path] of wrong) {
  test(`an issue names the place of ${name}`, () => {
    const checked = itemSchema.safeParse(raw);
    assert.ok(!checked.success);
    assert.deepEqual(checked.error.issues[0]?.path, path);
  });
}

test("what is no object is refused", () => {
  for (const raw of [null, 7, "message", [], undefined])
    assert.equal(itemSchema.safeParse(raw).success, false);
});
