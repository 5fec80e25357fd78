import { type Item, itemSchema, type JsonObject, type Tool, toolSchema } from "@slipstream-stack/protocol";
import fc from "fast-check";

/** Structural tokens of a vocabulary like Qwen 2.5's, calls included. */
export const qwenStructure = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<tool_call>", "</tool_call>"];
/** Those of SmolLM2, to which a call is plain text. */
export const smollmStructure = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<repo_name>", "<file_sep>"];

/** Any text, with a liking for structure, JSON and white space. */
export const anyText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.string({ unit: "grapheme", maxLength: 8 }) },
      fc.constantFrom(
        ...qwenStructure,
        "<|im_",
        "_call>",
        "</tool_response>",
        '{"name": "',
        "\n",
        " ",
        "\\",
        '"}',
      ),
    ),
    { maxLength: 5 },
  )
  .map((parts) => parts.join(""));

/** Text a message can hold without spelling a call: not blank. */
export const messageText: fc.Arbitrary<string> = anyText.filter(
  (text) => !text.includes("<tool_call>") && !/^[ \t\r\n]*$/.test(text),
);

/** A JSON object, as arguments are. */
export const jsonArguments: fc.Arbitrary<JsonObject> = fc.dictionary(
  fc.string({ unit: "grapheme", maxLength: 4 }).filter((key) => key !== "__proto__"),
  fc.oneof(anyText, fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.integer(), { maxLength: 2 })),
  { maxKeys: 3 },
) as fc.Arbitrary<JsonObject>;

const item = (raw: unknown): Item => itemSchema.parse(raw);

export const functionTool: Tool = toolSchema.parse({
  type: "function",
  name: "run",
  description: "Runs a command.",
  parameters: { type: "object", properties: { command: { type: "string" } } },
});
export const customTool: Tool = toolSchema.parse({
  type: "custom",
  name: "patch",
  description: "Edits files.",
});
export const namespaceTool: Tool = toolSchema.parse({
  type: "namespace",
  name: "mcp__echo",
  tools: [{ type: "function", name: "say" }],
});
const searchTool: Tool = toolSchema.parse({ type: "tool_search", execution: "client" });
export const someTools: readonly Tool[] = [functionTool, customTool, namespaceTool, searchTool];

export const message = (role: string, content: string): Item => item({ type: "message", role, content });
export const call = (argumentsText: string, name = "run", namespace?: string): Item =>
  item({ type: "function_call", call_id: "c", name, arguments: argumentsText, namespace });
export const customCall = (input: string): Item =>
  item({ type: "custom_tool_call", call_id: "c", name: "patch", input });
export const result = (output: string): Item => item({ type: "function_call_output", call_id: "c", output });
export const thought = (text: string): Item =>
  item({ type: "reasoning", summary: [], content: [{ type: "reasoning_text", text }] });

/** Calls of `someTools`. */
const anyCall: fc.Arbitrary<Item> = fc.oneof(
  jsonArguments.map((value) => call(JSON.stringify(value, null, 1))),
  jsonArguments.map((value) => call(JSON.stringify(value), "say", "mcp__echo")),
  anyText.map(customCall),
  jsonArguments.map((value) =>
    item({ type: "tool_search_call", call_id: "c", execution: "client", arguments: value }),
  ),
);

/** Items of every kind that a client may send. */
export const anyItem: fc.Arbitrary<Item> = fc.oneof(
  fc
    .tuple(fc.constantFrom("user", "assistant", "system", "developer"), anyText)
    .map(([role, text]) => message(role, text)),
  anyCall,
  anyText.map((text) => call(text)),
  anyText.map(result),
  anyText.map((text) =>
    item({ type: "custom_tool_call_output", call_id: "c", output: [{ type: "input_text", text }] }),
  ),
  anyText.map(thought),
  anyText.map((text) => item({ type: "compaction", encrypted_content: text })),
  fc.constantFrom(
    item({ type: "additional_tools", role: "developer", tools: [{ type: "function", name: "later" }] }),
    item({
      type: "tool_search_output",
      call_id: "c",
      execution: "client",
      tools: [{ type: "function", name: "found" }],
    }),
    item({ type: "tool_search_output", call_id: "c", execution: "client", tools: [] }),
    item({ type: "web_search_call", id: "w", action: { type: "search", query: "<|im_end|>" } }),
    item({ type: "shell_call_output", call_id: "c", output: [] }),
    item({ type: "configuration_update" }),
  ),
);

/** What a model can write in one go and a parser can read back: no message after a message. */
export const modelOutput: fc.Arbitrary<Item[]> = fc
  .array(fc.tuple(fc.option(messageText, { nil: null }), fc.array(anyCall, { maxLength: 3 })), {
    maxLength: 3,
  })
  .map((rounds) =>
    rounds
      .flatMap(([text, calls]) => [...(text === null ? [] : [message("assistant", text)]), ...calls])
      .filter((each, index, all) => each.type !== "message" || all[index - 1]?.type !== "message"),
  );
