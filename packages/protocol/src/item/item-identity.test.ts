import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { canonicalJson } from "../canonical-json.ts";
import type { JsonValue } from "../json.ts";
import { itemSchema } from "./item.ts";
import { argumentsIdentity, itemIdentity } from "./item-identity.ts";

type Raw = Record<string, unknown>;
const identity = (raw: Raw): string => itemIdentity(itemSchema.parse(raw));

const call: Raw = {
  type: "function_call",
  id: "fc_1",
  call_id: "call_1",
  name: "run",
  arguments: '{"command":"ls","count":1}',
  status: "completed",
};
const message: Raw = { type: "message", id: "msg_1", role: "user", content: "hi", status: "completed" };
const search: Raw = { type: "web_search_call", id: "ws_1", status: "completed", action: { query: "x" } };

const same: [string, Raw, Raw][] = [
  ["the id of a call", call, { ...call, id: "fc_2" }],
  ["a missing id", call, { ...call, id: undefined }],
  ["status", call, { ...call, status: "in_progress" }],
  ["the order of keys", call, Object.fromEntries(Object.entries(call).reverse())],
  ["spacing in arguments", call, { ...call, arguments: '{ "command" : "ls",\n "count": 1 }' }],
  ["the order of arguments", call, { ...call, arguments: '{"count":1,"command":"ls"}' }],
  ["a number's spelling", call, { ...call, arguments: '{"command":"ls","count":1.0}' }],
  ["an escape", call, { ...call, arguments: '{"command":"l\\u0073","count":1}' }],
  ["a null namespace", call, { ...call, namespace: null }],
  ["unknown fields", call, { ...call, extra_field: "x" }],
  [
    "a message's id, status and phase",
    message,
    { ...message, id: "msg_2", status: null, phase: "commentary" },
  ],
  ["metadata passed through", message, { ...message, internal_chat_message_metadata_passthrough: { a: 1 } }],
  ["an easy message", message, { role: "user", content: "hi" }],
  ["text as parts", message, { ...message, content: [{ type: "input_text", text: "hi" }] }],
  [
    "text in several parts",
    message,
    {
      ...message,
      content: [
        { type: "input_text", text: "h" },
        { type: "input_text", text: "i" },
      ],
    },
  ],
  ["system or developer", { role: "system", content: "x" }, { role: "developer", content: "x" }],
  [
    "annotations and log probabilities",
    { role: "assistant", content: [{ type: "output_text", text: "a", annotations: [], logprobs: [] }] },
    { role: "assistant", content: "a" },
  ],
  ["the id and status of an item of a foreign tool", search, { ...search, id: "ws_2", status: "failed" }],
  [
    "an output's shape",
    { type: "function_call_output", call_id: "c", output: "x" },
    { type: "function_call_output", id: "fco_1", call_id: "c", output: [{ type: "input_text", text: "x" }] },
  ],
];
for (const [name, left, right] of same) {
  test(`${name} does not count`, () => assert.equal(identity(left), identity(right)));
}

const different: [string, Raw, Raw][] = [
  ["call_id", call, { ...call, call_id: "call_2" }],
  ["name", call, { ...call, name: "walk" }],
  ["namespace", call, { ...call, namespace: "shell" }],
  ["an argument's value", call, { ...call, arguments: '{"command":"ls","count":2}' }],
  ["an argument's type", call, { ...call, arguments: '{"command":"ls","count":"1"}' }],
  ["spacing inside a string", call, { ...call, arguments: '{"command":"l s","count":1}' }],
  ["role", message, { ...message, role: "assistant" }],
  ["text", message, { ...message, content: "hi " }],
  [
    "the kind of an item",
    { ...call, type: "function_call" },
    { ...call, type: "custom_tool_call", input: "" },
  ],
  [
    "the input of a custom call",
    { type: "custom_tool_call", call_id: "c", name: "n", input: '{"a":1}' },
    { type: "custom_tool_call", call_id: "c", name: "n", input: '{"a": 1}' },
  ],
  ["an action of a foreign tool", search, { ...search, action: { query: "y" } }],
  [
    "reasoning text",
    { type: "reasoning", content: [{ type: "reasoning_text", text: "a" }] },
    { type: "reasoning", content: [{ type: "reasoning_text", text: "b" }] },
  ],
  [
    "a summary against a text",
    { type: "reasoning", summary: [{ type: "summary_text", text: "a" }] },
    { type: "reasoning", content: [{ type: "reasoning_text", text: "a" }] },
  ],
  [
    "what a compaction holds",
    { type: "compaction", encrypted_content: "a" },
    { type: "compaction", encrypted_content: "b" },
  ],
];
for (const [name, left, right] of different) {
  test(`${name} counts`, () => assert.notEqual(identity(left), identity(right)));
}

/** Text whose value would change if it were parsed and printed: it is its own identity. */
const raw: [string, string][] = [
  ["an integer beyond 2^53", '{"id":9007199254740993}'],
  ["another such integer", '{"id": 12345678901234567890}'],
  ["digits beyond a double", '{"x":0.12345678901234567}'],
  ["a number beyond all doubles", '{"x":1e400}'],
  ["a number below all doubles", '{"x":1e-400}'],
  ["a number too small to keep its digits", '{"x":1.2345678901e-320}'],
  ["a key given twice", '{"a":1,"a":2}'],
  ["a key given twice, deep inside", '[{"b":{"a":1,"a":1}}]'],
  ["what is no JSON", '{"command": ls}'],
  ["nothing", ""],
  ["half an object", '{"a":1'],
];
for (const [name, text] of raw) {
  test(`${name} is compared as text`, () => assert.equal(argumentsIdentity(text), text));
}

const printed: [string, string, string][] = [
  ["1 and 1.0", '{"a":1.0}', '{"a":1}'],
  ["an exponent", '{"a":1e2}', '{"a":100}'],
  ["the largest integers kept", '{"a":999999999999999}', '{"a":999999999999999}'],
  ["zero", '{"a":0.000}', '{"a":0}'],
  ["leading zeros of a fraction", '{"a": 0.00012}', '{"a":0.00012}'],
  [
    "colons and digits in strings",
    '{"a": "x:1,\\"b\\":12345678901234567890"}',
    '{"a":"x:1,\\"b\\":12345678901234567890"}',
  ],
  ["digits in a key", '{"12345678901234567890": 1}', '{"12345678901234567890":1}'],
];
for (const [name, text, canonical] of printed) {
  test(`${name} become canonical`, () => assert.equal(argumentsIdentity(text), canonical));
}

test("equal values have equal identities and others do not", () => {
  const plain = fc
    .jsonValue({ noUnicodeString: false })
    .map((value) => JSON.parse(JSON.stringify(value)) as JsonValue);
  fc.assert(
    fc.property(plain, plain, (left, right) => {
      const spaced = (value: JsonValue): string => JSON.stringify(value, null, 2);
      const areEqual = canonicalJson(left) === canonicalJson(right);
      if (areEqual) return;
      assert.notEqual(argumentsIdentity(spaced(left)), argumentsIdentity(spaced(right)));
    }),
  );
});

test("an identity is that of its own text", () => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
      const once = argumentsIdentity(text);
      assert.equal(argumentsIdentity(once), once);
    }),
  );
});

test("arguments of many megabytes are compared too", () => {
  const text = JSON.stringify({ patch: 'line "with" \\ quotes\n'.repeat(400_000) });
  assert.equal(argumentsIdentity(` ${text}`), text);
});
