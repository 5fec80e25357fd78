/** A bad request and the error it gets, on every transport alike. */
export interface BadCase {
  readonly name: string;
  /** The body's members, or its raw text. */
  readonly body: Readonly<Record<string, unknown>> | string;
  readonly status: number;
  readonly code: string;
  readonly param: string | null;
}

const ok = { model: "test-model", input: "hi" };
const invalid = { status: 400, code: "invalid_value" } as const;
const user = (content: unknown) => ({ type: "message", role: "user", content });

function bad(name: string, body: BadCase["body"], param: string | null, code = "invalid_value"): BadCase {
  return { ...invalid, name, body, param, code };
}

const notBuilt: BadCase[] = [
  bad("conversation", { ...ok, conversation: "conv_1" }, "conversation"),
  bad("prompt template", { ...ok, prompt: { id: "pmpt_1" } }, "prompt"),
  bad("background", { ...ok, background: true }, "background"),
  bad(
    "server-side compaction",
    { ...ok, context_management: [{ type: "compaction", compact_threshold: 1000 }] },
    "context_management",
  ),
  bad("item reference", { ...ok, input: [{ type: "item_reference", id: "msg_1" }] }, "input[0]"),
  bad("item reference without type", { ...ok, input: [{ id: "msg_1" }] }, "input[0]"),
];

const wrongTypes: BadCase[] = [
  bad("no model", { input: "hi" }, "model", "missing_required_parameter"),
  bad("null model", { ...ok, model: null }, "model", "missing_required_parameter"),
  bad("model of a wrong type", { ...ok, model: 7 }, "model"),
  bad("no input", { model: "test-model" }, "input", "missing_required_parameter"),
  bad("empty input", { model: "test-model", input: [] }, "input", "missing_required_parameter"),
  bad("input of a wrong type", { ...ok, input: 7 }, "input"),
  bad("input of an object", { ...ok, input: { type: "message" } }, "input"),
  bad("content of a wrong type", { ...ok, input: [user(7)] }, "input[0].content"),
  bad(
    "part of a wrong type",
    { ...ok, input: [user("a"), user([{ type: "input_text" }])] },
    "input[1].content[0].text",
  ),
  bad("role", { ...ok, input: [{ ...user("a"), role: "tool" }] }, "input[0].role"),
  bad(
    "call without name",
    { ...ok, input: [{ type: "function_call", call_id: "c", arguments: "" }] },
    "input[0].name",
  ),
  bad("item without type", { ...ok, input: [{}] }, "input[0].type"),
  bad("temperature", { ...ok, temperature: 3 }, "temperature"),
  bad("max_output_tokens", { ...ok, max_output_tokens: 0 }, "max_output_tokens"),
  bad("tools of a wrong type", { ...ok, tools: "all" }, "tools"),
  bad("tool without name", { ...ok, tools: [{ type: "function" }] }, "tools[0].name"),
  bad("metadata", { ...ok, metadata: { a: 1 } }, "metadata.a"),
  bad(
    "too much metadata",
    { ...ok, metadata: Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`k${index}`, "v"])) },
    "metadata",
  ),
  bad("store", { ...ok, store: "yes" }, "store"),
  bad("previous id", { ...ok, previous_response_id: 7 }, "previous_response_id"),
  bad("fingerprint", { ...ok, slipstream_settings: 7 }, "slipstream_settings"),
  bad("text format", { ...ok, text: { format: { type: "xml" } } }, "text.format.type"),
];

const brokenJson: BadCase[] = [
  bad("a member twice", '{"type":"response.create","model":"a","model":"b","input":"hi"}', "model"),
  bad("no object", '["response.create"]', null, "invalid_json"),
  bad("cut off", '{"type":"response.create","model":"a"', null, "invalid_json"),
  bad("lone surrogate", '{"type":"response.create","model":"a","input":"\\ud83d"}', null, "invalid_json"),
  bad(
    "too deep",
    `{"type":"response.create","model":"a","input":${"[".repeat(500)}${"]".repeat(500)}}`,
    null,
    "invalid_json",
  ),
];

/** One table for every transport: what is refused, with which status, code and param. */
export const badCases: readonly BadCase[] = [...notBuilt, ...wrongTypes, ...brokenJson];

/** What is taken although it is not built: neutral hints, unknown fields, items and tools. */
export const goodCases: readonly {
  readonly name: string;
  readonly body: Readonly<Record<string, unknown>>;
}[] = [
  {
    name: "hints",
    body: { ...ok, service_tier: "flex", safety_identifier: "u", user: "u", prompt_cache_key: "k" },
  },
  {
    name: "cache hints",
    body: { ...ok, prompt_cache_options: { mode: "implicit" }, prompt_cache_retention: "24h" },
  },
  {
    name: "moderation and image policy",
    body: { ...ok, moderation: { model: "m" }, image: { context_compression: "auto" } },
  },
  {
    name: "nulls",
    body: { ...ok, conversation: null, prompt: null, background: false, context_management: [], tools: null },
  },
  { name: "unknown field", body: { ...ok, some_new_field: { a: [1] } } },
  {
    name: "unknown item",
    body: { ...ok, input: [{ type: "shell_call", id: "sh_1", call_id: "c", action: {} }] },
  },
  { name: "unknown tool", body: { ...ok, tools: [{ type: "web_search", external_web_access: false }] } },
  { name: "easy message", body: { ...ok, input: [{ role: "developer", content: "be brief" }] } },
  {
    name: "client metadata",
    body: { ...ok, client_metadata: { a: "b" }, stream_options: { include_obfuscation: false } },
  },
  { name: "chained without input", body: { model: "test-model", previous_response_id: "resp_0", input: [] } },
];
