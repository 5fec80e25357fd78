import assert from "node:assert/strict";
import { test } from "node:test";
import { isKnownTool, toolChoiceSchema, toolSchema } from "./tools.ts";

type Raw = Record<string, unknown>;

const rendered: Raw[] = [
  { type: "function", name: "run" },
  { type: "function", name: "run", description: null, parameters: null, strict: null },
  {
    type: "function",
    name: "run",
    parameters: { type: "object", properties: { a: { type: "string", encrypted: true } } },
    strict: true,
    defer_loading: true,
    allowed_callers: ["direct"],
    async: false,
    output_schema: {},
  },
  { type: "custom", name: "patch" },
  {
    type: "custom",
    name: "patch",
    format: { type: "grammar", syntax: "lark", definition: "start: /a/" },
  },
  { type: "namespace", name: "files", description: "", tools: [{ type: "function", name: "read" }] },
  { type: "namespace", name: "empty", tools: [] },
];
for (const raw of rendered) {
  test(`a ${String(raw["type"])} tool is known and kept: ${JSON.stringify(raw).slice(0, 60)}`, () => {
    const tool = toolSchema.parse(raw);
    assert.ok(isKnownTool(tool));
    assert.deepEqual(tool, raw);
  });
}

const foreign = [
  "tool_search",
  "programmatic_tool_calling",
  "shell",
  "local_shell",
  "apply_patch",
  "web_search",
  "web_search_2025_08_26",
  "web_search_preview",
  "file_search",
  "code_interpreter",
  "image_generation",
  "computer",
  "computer_use_preview",
  "mcp",
  "tool_of_next_year",
];
for (const type of foreign) {
  test(`the tool ${type} is taken as it comes`, () => {
    const raw = { type, server_label: "s", vector_store_ids: [], container: { type: "auto" } };
    const tool = toolSchema.parse(raw);
    assert.ok(!isKnownTool(tool));
    assert.deepEqual(tool, raw);
  });
}

const wrong: [string, unknown, (string | number)[]][] = [
  ["no type", { name: "run" }, ["type"]],
  ["a function without name", { type: "function" }, ["name"]],
  ["a function with an empty name", { type: "function", name: "" }, ["name"]],
  ["parameters that are no object", { type: "function", name: "run", parameters: [] }, ["parameters"]],
  ["a strictness that is no switch", { type: "function", name: "run", strict: "yes" }, ["strict"]],
  ["a custom tool's format without type", { type: "custom", name: "p", format: {} }, ["format", "type"]],
  ["a namespace without tools", { type: "namespace", name: "n" }, ["tools"]],
  [
    "a namespace in a namespace",
    { type: "namespace", name: "n", tools: [{ type: "namespace", name: "m", tools: [] }] },
    ["tools", 0, "type"],
  ],
];
for (const [name, raw, path] of wrong) {
  test(`an issue names the place of ${name}`, () => {
    const checked = toolSchema.safeParse(raw);
    assert.ok(!checked.success);
    assert.deepEqual(checked.error.issues[0]?.path, path);
  });
}

const choices: unknown[] = [
  "none",
  "auto",
  "required",
  { type: "function", name: "run" },
  { type: "custom", name: "patch" },
  { type: "mcp", server_label: "s", name: "n" },
  { type: "shell" },
  { type: "apply_patch" },
  { type: "programmatic_tool_calling" },
  { type: "web_search_preview" },
  { type: "file_search" },
  { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "run" }, { type: "mcp" }] },
  { type: "allowed_tools", mode: "required", tools: [] },
];
for (const choice of choices) {
  test(`tool_choice ${JSON.stringify(choice)} is taken as it is`, () => {
    assert.deepEqual(toolChoiceSchema.parse(choice), choice);
  });
}

test("a tool_choice that is neither a mode nor an object with a type is refused", () => {
  for (const choice of ["any", "", 7, {}, { name: "run" }, []]) {
    assert.equal(toolChoiceSchema.safeParse(choice).success, false, JSON.stringify(choice));
  }
});
