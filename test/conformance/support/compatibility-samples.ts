import assert from "node:assert/strict";
import { exchangeStream, type HttpAnswer, openSocket, type Wire } from "./exchange.ts";

/** What a check of a supported field works with. */
interface Trial {
  readonly create: (body: Wire) => Promise<HttpAnswer>;
  readonly plain: Wire;
  readonly baseUrl: string;
}

const user = (content: string): Wire => ({ role: "user", content });
const tokens = ({ body }: HttpAnswer, side: "input" | "output"): number =>
  Number((body["usage"] as Wire)[`${side}_tokens`]);
const textOf = ({ body }: HttpAnswer): string => {
  const [item] = body["output"] as Wire[];
  return String((item?.["content"] as Wire[] | undefined)?.[0]?.["text"]);
};
const types = ({ body }: HttpAnswer): unknown[] => (body["output"] as Wire[]).map(({ type }) => type);

const run: Wire = {
  type: "function",
  name: "run",
  parameters: {
    type: "object",
    properties: { command: { type: "string" } },
    required: ["command"],
    additionalProperties: false,
  },
};

/** Sampling with another value of a field gives another text where sampling is on. */
async function changesText({ create, plain }: Trial, left: Wire, right: Wire): Promise<void> {
  const input = "Tell a story.";
  const first = await create({ ...plain, input, ...left });
  assert.equal(textOf(await create({ ...plain, input, ...left })), textOf(first));
  assert.notEqual(textOf(await create({ ...plain, input, ...right })), textOf(first));
}

/** Accepted in its range, refused beyond it by name. */
async function isBounded(
  { create, plain }: Trial,
  field: string,
  good: unknown,
  bad: unknown,
): Promise<void> {
  assert.equal((await create({ ...plain, [field]: good })).status, 200);
  const refused = await create({ ...plain, [field]: bad });
  assert.equal((refused.body["error"] as Wire)["param"], field);
}

/** For each supported field: a check of what it does. */
export const supportedFields: Readonly<Record<string, (trial: Trial) => Promise<void>>> = {
  async model({ create, plain }) {
    const answer = await create({ ...plain, model: "other" });
    assert.equal((answer.body["error"] as Wire)["code"], "model_not_found");
  },
  async input({ create, plain }) {
    const long = await create({ ...plain, input: [user("hi"), user("and more")] });
    assert.ok(tokens(long, "input") > tokens(await create(plain), "input"));
  },
  async instructions({ create, plain }) {
    const first = await create({ ...plain, instructions: "Be brief." });
    assert.ok(tokens(first, "input") > tokens(await create(plain), "input"));
    const next = await create({ ...plain, previous_response_id: first.body["id"] });
    assert.equal(next.body["instructions"], null);
  },
  async previous_response_id({ create, plain }) {
    const first = await create(plain);
    const next = await create({ ...plain, previous_response_id: first.body["id"] });
    assert.ok(tokens(next, "input") > tokens(first, "input") + tokens(first, "output"));
  },
  async store({ create, plain }) {
    const first = await create({ ...plain, store: false });
    const next = await create({ ...plain, previous_response_id: first.body["id"] });
    assert.equal((next.body["error"] as Wire)["code"], "previous_response_not_found");
  },
  async stream({ plain, baseUrl }) {
    assert.ok((await exchangeStream(`${baseUrl}/responses`, plain)).isDone);
  },
  async tools({ create, plain }) {
    const answer = await create({ ...plain, tools: [run] });
    assert.ok(tokens(answer, "input") > tokens(await create(plain), "input"));
  },
  async tool_choice({ create, plain }) {
    const required = await create({ ...plain, tools: [run], tool_choice: "required" });
    assert.ok(types(required).includes("function_call"));
    const none = await create({ ...plain, tools: [run], tool_choice: "none" });
    assert.deepEqual(types(none), ["message"]);
  },
  async parallel_tool_calls({ create, plain }) {
    const one = { tools: [run], tool_choice: "required", parallel_tool_calls: false };
    assert.deepEqual(types(await create({ ...plain, ...one })), ["function_call"]);
  },
  async text({ create, plain }) {
    const schema = { type: "object", properties: { a: { type: "integer" } }, required: ["a"] };
    const format = { type: "json_schema", name: "s", schema, strict: true };
    const answer = await create({ ...plain, text: { format } });
    assert.ok(Number.isInteger((JSON.parse(textOf(answer)) as Wire)["a"]));
    const free = await create({ ...plain, text: { format: { type: "json_object" } } });
    assert.equal(typeof JSON.parse(textOf(free)), "object");
  },
  async max_output_tokens({ create, plain }) {
    const answer = await create({ ...plain, max_output_tokens: 3 });
    assert.equal(tokens(answer, "output"), 3);
    assert.equal((answer.body["incomplete_details"] as Wire)["reason"], "max_output_tokens");
  },
  temperature: (trial) => isBounded(trial, "temperature", 2, 2.5),
  top_p: (trial) => isBounded(trial, "top_p", 0.5, 1.5),
  top_k: (trial) => isBounded(trial, "top_k", 5, -1),
  seed: (trial) => changesText(trial, { temperature: 1, seed: 1 }, { temperature: 1, seed: 2 }),
  async metadata({ create, plain }) {
    const answer = await create({ ...plain, metadata: { a: "b" } });
    assert.deepEqual(answer.body["metadata"], { a: "b" });
  },
  async generate({ create, plain }) {
    const answer = await create({ ...plain, generate: false });
    assert.deepEqual(answer.body["output"], []);
  },
  async prompt_cache_options({ create, plain }) {
    const answer = await create({ ...plain, prompt_cache_options: { prewarm: true, mode: "implicit" } });
    assert.deepEqual(answer.body["output"], []);
  },
  async stream_id({ create, plain, baseUrl }) {
    assert.equal((await create({ ...plain, stream_id: "a" })).status, 200);
    await using socket = await openSocket(baseUrl);
    const turn = await socket.turn({ type: "response.create", ...plain, stream_id: "a" });
    assert.ok(turn.events.every((event) => event["stream_id"] === "a"));
  },
  async slipstream_settings({ create, plain }) {
    const first = await create({ ...plain, instructions: "Be brief." });
    const { id, slipstream_settings } = first.body;
    const next = await create({ input: "Go on.", previous_response_id: id, slipstream_settings });
    assert.equal(next.status, 200, JSON.stringify(next.body));
    assert.equal(next.body["instructions"], "Be brief.");
  },
};

/** A value that OpenAI documents, for each neutral field. */
export const neutralFields: Readonly<Record<string, unknown>> = {
  reasoning: { effort: "high", summary: "auto", context: "all_turns", mode: "pro" },
  include: ["reasoning.encrypted_content", "message.output_text.logprobs", "file_search_call.results"],
  top_logprobs: 5,
  max_tool_calls: 1,
  truncation: "auto",
  prompt_cache_key: "key",
  prompt_cache_retention: "24h",
  service_tier: "flex",
  safety_identifier: "somebody",
  user: "somebody",
  moderation: { model: "m", policy: { input: { mode: "block" } } },
  access_programs: { cyber: "standard" },
  image: { context_compression: "auto" },
  stream_options: { include_obfuscation: true },
  client_metadata: { session_id: "s" },
  background_options: { completion_window: "soonest" },
  multi_agent: { enabled: true },
};

/** A value that is refused, and one that says nothing. */
export const refusedFields: Readonly<Record<string, { given: unknown; neutral: unknown }>> = {
  background: { given: true, neutral: false },
  conversation: { given: "conv_1", neutral: null },
  prompt: { given: { id: "pmpt_1" }, neutral: null },
  context_management: { given: [{ type: "compaction", compact_threshold: 1000 }], neutral: [] },
};

const call_id = "call_1";

/** One of each item type. */
export const itemSamples: Readonly<Record<string, Wire>> = {
  message: { type: "message", role: "developer", content: "Be brief." },
  reasoning: { type: "reasoning", summary: [], content: [{ type: "reasoning_text", text: "hm" }] },
  function_call: { type: "function_call", call_id, name: "run", arguments: '{"command":"ls"}' },
  function_call_output: { type: "function_call_output", call_id, output: "a.txt" },
  custom_tool_call: { type: "custom_tool_call", call_id, name: "patch", input: "*** Begin" },
  custom_tool_call_output: { type: "custom_tool_call_output", call_id, output: "done" },
  tool_search_call: {
    type: "tool_search_call",
    call_id,
    execution: "client",
    arguments: { query: "x" },
    status: "completed",
  },
  tool_search_output: {
    type: "tool_search_output",
    call_id,
    execution: "client",
    status: "completed",
    tools: [run],
  },
  additional_tools: { type: "additional_tools", role: "developer", tools: [run] },
  compaction: { type: "compaction", encrypted_content: "" },
  shell_call: { type: "shell_call", call_id, action: { commands: ["ls"] }, status: "completed" },
  shell_call_output: {
    type: "shell_call_output",
    call_id,
    output: [{ stdout: "a", stderr: "", outcome: { type: "exit", exit_code: 0 } }],
  },
  local_shell_call: { type: "local_shell_call", call_id, action: { type: "exec", command: ["ls"], env: {} } },
  local_shell_call_output: { type: "local_shell_call_output", id: "lso_1", output: "a" },
  apply_patch_call: {
    type: "apply_patch_call",
    call_id,
    operation: { type: "delete_file", path: "a" },
    status: "completed",
  },
  apply_patch_call_output: { type: "apply_patch_call_output", call_id, status: "completed", output: "ok" },
  web_search_call: { type: "web_search_call", status: "completed", action: { type: "search", query: "x" } },
  file_search_call: { type: "file_search_call", queries: ["x"], status: "completed" },
  code_interpreter_call: { type: "code_interpreter_call", code: "1+1", container_id: "c", outputs: null },
  image_generation_call: { type: "image_generation_call", status: "completed", revised_prompt: "a cat" },
  computer_call: { type: "computer_call", call_id, action: { type: "click" }, pending_safety_checks: [] },
  computer_call_output: { type: "computer_call_output", call_id, output: { type: "computer_screenshot" } },
  mcp_call: { type: "mcp_call", server_label: "s", name: "n", arguments: "{}", output: "x" },
  mcp_approval_request: { type: "mcp_approval_request", server_label: "s", name: "n", arguments: "{}" },
  mcp_approval_response: { type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: true },
  program: { type: "program", call_id, code: "text(1)", fingerprint: "f" },
  program_output: { type: "program_output", call_id, result: "1", status: "completed" },
  mcp_list_tools: { type: "mcp_list_tools", server_label: "s", tools: [{ name: "n", input_schema: {} }] },
  configuration_update: { type: "configuration_update", reasoning: { effort: "low" } },
  compaction_trigger: { type: "compaction_trigger" },
  item_reference: { type: "item_reference", id: "msg_1" },
};

/** What has to stand before an item: a user's message, and the call that an output answers. */
export function conversationBefore(item: Wire): Wire[] {
  const type = String(item["type"]);
  const caller = itemSamples[type.replace(/_output$/, type === "program_output" ? "" : "_call")];
  const call = itemSamples[type.replace(/_output$/, "")] ?? caller;
  const needsCall = type.endsWith("_output") && item["call_id"] !== undefined && call !== undefined;
  return needsCall ? [user("hi"), call] : [user("hi")];
}

/** One of each tool type. */
export const toolSamples: Readonly<Record<string, Wire>> = {
  function: run,
  custom: { type: "custom", name: "patch", format: { type: "text" } },
  namespace: { type: "namespace", name: "files", description: "", tools: [run] },
  tool_search: { type: "tool_search", execution: "client" },
  web_search: { type: "web_search", external_web_access: false },
  web_search_preview: { type: "web_search_preview" },
  file_search: { type: "file_search", vector_store_ids: ["vs_1"] },
  code_interpreter: { type: "code_interpreter", container: { type: "auto" } },
  image_generation: { type: "image_generation" },
  computer: { type: "computer" },
  computer_use_preview: {
    type: "computer_use_preview",
    display_width: 1,
    display_height: 1,
    environment: "linux",
  },
  mcp: { type: "mcp", server_label: "s", server_url: "https://mcp.example/" },
  shell: { type: "shell" },
  local_shell: { type: "local_shell" },
  apply_patch: { type: "apply_patch" },
  programmatic_tool_calling: { type: "programmatic_tool_calling" },
};
