import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createRequestSchema, requestFieldsSchema, settingsSchema } from "./request.ts";

type Raw = Record<string, unknown>;
const model = "m";

const accepted: [string, Raw][] = [
  ["a string", { model, input: "hi" }],
  ["no input", { model }],
  ["items", { model, input: [{ type: "message", role: "user", content: "hi" }] }],
  [
    "everything Codex sends",
    {
      model,
      input: [],
      tools: [{ type: "web_search", external_web_access: false }],
      tool_choice: "auto",
      parallel_tool_calls: true,
      reasoning: { effort: "medium", summary: "auto", context: "all_turns" },
      store: false,
      stream: true,
      include: ["reasoning.encrypted_content"],
      prompt_cache_key: "k",
      text: { verbosity: "low", format: { type: "json_schema", name: "s", schema: {}, strict: true } },
      client_metadata: { a: "b" },
      service_tier: "auto",
      generate: false,
    },
  ],
  ["hints", { model, user: "u", safety_identifier: "s", truncation: "auto", top_logprobs: 5, seed: 7 }],
  [
    "nulls wherever they may stand",
    {
      model,
      ...{ input: null, instructions: null, tools: null, tool_choice: null, text: null, reasoning: null },
      ...{ temperature: null, top_p: null, max_output_tokens: null, metadata: null, store: null },
      ...{ previous_response_id: null, stream: null, truncation: null, include: null },
    },
  ],
  ["fields of next year", { model, input: "hi", field_of_next_year: { a: [1] } }],
];
for (const [name, raw] of accepted) {
  test(`accepted as it is: ${name}`, () => assert.deepEqual(createRequestSchema.parse(raw), raw));
}

test("items are parsed inside a request", () => {
  const parsed = createRequestSchema.parse({ model, input: [{ role: "user", content: "hi" }] });
  assert.deepEqual(parsed.input, [{ type: "message", role: "user", content: "hi" }]);
});

const refused: [string, Raw, PropertyKey][] = [
  ["no model", { input: "hi" }, "model"],
  ["an empty model", { model: "" }, "model"],
  ["instructions that are no text", { model, instructions: [] }, "instructions"],
  ["tools that are no list", { model, tools: {} }, "tools"],
  ["no output tokens", { model, max_output_tokens: 0 }, "max_output_tokens"],
  ["half a token", { model, max_output_tokens: 1.5 }, "max_output_tokens"],
  ["a temperature below 0", { model, temperature: -0.1 }, "temperature"],
  ["a temperature above 2", { model, temperature: 2.1 }, "temperature"],
  ["a top_p above 1", { model, top_p: 1.1 }, "top_p"],
  ["a negative top_k", { model, top_k: -1 }, "top_k"],
  ["21 log probabilities", { model, top_logprobs: 21 }, "top_logprobs"],
  ["no tool calls", { model, max_tool_calls: 0 }, "max_tool_calls"],
  ["a truncation nobody knows", { model, truncation: "middle" }, "truncation"],
  ["a format nobody knows", { model, text: { format: { type: "xml" } } }, "text"],
  [
    "a schema that is no object",
    { model, text: { format: { type: "json_schema", name: "s", schema: [] } } },
    "text",
  ],
  ["a schema without name", { model, text: { format: { type: "json_schema", schema: {} } } }, "text"],
];
for (const [name, raw, field] of refused) {
  test(`refused, naming the field: ${name}`, () => {
    const checked = settingsSchema.safeParse(raw);
    assert.ok(!checked.success);
    assert.equal(checked.error.issues[0]?.path[0], field);
  });
}

const refusedFields: [string, Raw, PropertyKey][] = [
  ["an input of a wrong type", { input: 7 }, "input"],
  ["a store that is no switch", { store: "yes" }, "store"],
  ["a previous id that is no text", { previous_response_id: 7 }, "previous_response_id"],
  ["metadata with a number", { metadata: { a: 1 } }, "metadata"],
  ["metadata with a long key", { metadata: { ["k".repeat(65)]: "v" } }, "metadata"],
  ["metadata with a long value", { metadata: { k: "v".repeat(513) } }, "metadata"],
  ["cache options of a wrong type", { prompt_cache_options: [] }, "prompt_cache_options"],
];
for (const [name, raw, field] of refusedFields) {
  test(`refused, naming the field: ${name}`, () => {
    const checked = requestFieldsSchema.safeParse(raw);
    assert.ok(!checked.success);
    assert.equal(checked.error.issues[0]?.path[0], field);
  });
}

test("no JSON makes the schemas throw anything but issues", () => {
  const keys = [...Object.keys(settingsSchema.shape), ...Object.keys(requestFieldsSchema.shape)];
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...keys), fc.jsonValue()), (raw) => {
      const checked = createRequestSchema.safeParse(raw);
      assert.equal(checked.success, checked.error === undefined);
    }),
  );
});
