import assert from "node:assert/strict";
import { after, test } from "node:test";
import {
  give,
  refuses,
  schema,
  settle,
  spell,
  startHost,
  stretch,
  tools,
  triggered,
} from "./test-session.ts";
import { admitted, bytesOf, testVocabulary, tokenOf } from "./test-vocabulary.ts";

const end = testVocabulary.endOfGeneration[0]!;
const trigger = "<tool_call>";
const host = startHost();
after(() => host.close());

test("without constraints all is free, and nothing is ever waited for", () => {
  const session = host.open([]);
  session.accept(97, bytesOf(97));
  assert.equal(session.ready(), true);
  assert.equal(session.mask(), null);
  assert.equal(session.finished(), false);
  session.close();
});

test("a schema from the start holds until the output must end", () => {
  const session = host.open([
    stretch(
      schema({
        type: "object",
        properties: {
          kind: { enum: ["x", "y"] },
          size: { anyOf: [{ type: "integer" }, { type: "null" }] },
          code: { type: "string", pattern: "^[ab]{2}$" },
        },
        required: ["kind", "size", "code"],
      }),
    ),
  ]);
  refuses(session, "[", "a");
  spell(session, '{"kind": "');
  refuses(session, "z", '"');
  spell(session, 'x", "size": ');
  refuses(session, '"', "true");
  spell(session, 'null, "code": "a');
  refuses(session, "c", '"');
  spell(session, 'b"');
  assert.equal(session.finished(), false);
  spell(session, "}");
  assert.equal(session.finished(), true);
  assert.equal(session.ready(), true);
  session.close();
});

test("combined schemas hold as a whole", () => {
  const properties = { a: { type: "integer" }, b: { type: "boolean" } };
  const choice = host.open([
    stretch(schema({ type: "object", properties, required: ["a"], anyOf: [{ required: ["b"] }] })),
  ]);
  spell(choice, '{"a": 1');
  refuses(choice, "}");
  spell(choice, ', "b": true}');
  assert.equal(choice.finished(), true);
  choice.close();
  const all = host.open([
    stretch(schema({ allOf: [{ type: "object", properties, required: ["a"] }, { required: ["b"] }] })),
  ]);
  refuses(all, "[");
  spell(all, '{"a": 1, "b": ');
  refuses(all, "12");
  all.close();
});

test("lengths and ranges hold, with escapes in strings", () => {
  const session = host.open([
    stretch(
      schema({
        type: "object",
        properties: {
          text: { type: "string", minLength: 2, maxLength: 4 },
          size: { type: "integer", minimum: 3, maximum: 15 },
        },
        required: ["text", "size"],
      }),
    ),
  ]);
  spell(session, '{"text": "');
  refuses(session, '"', "<tool", "_file");
  spell(session, '\\n\\"a');
  refuses(session, "12");
  spell(session, '\\u00e9", "size": ');
  refuses(session, "2", "0", "-");
  spell(session, "1");
  refuses(session, "}", "9");
  spell(session, "5}");
  assert.equal(session.finished(), true);
  session.close();
});

test("tokens of several bytes are admitted where all of them fit", () => {
  const session = host.open([stretch(schema({ type: "object", properties: { a: { const: true } } }))]);
  settle(session);
  give(session, tokenOf("{"), tokenOf('"a"'), tokenOf(":"), tokenOf("true"), tokenOf("}"));
  assert.equal(session.finished(), true);
  session.close();
});

test("the end of the output is admitted only where the grammar may end", () => {
  const session = host.open([stretch({ kind: "ebnf", text: 'root ::= "a" "b"+' })]);
  spell(session, "a");
  assert.deepEqual(admitted(session.mask()), [tokenOf("b")]);
  spell(session, "b");
  assert.deepEqual(admitted(session.mask()), [tokenOf("b"), end]);
  give(session, end);
  assert.equal(session.finished(), true);
  session.close();
});

test("any object is an object and nothing else", () => {
  const session = host.open([stretch({ kind: "json_object" })]);
  refuses(session, "[", '"', "12");
  spell(session, '{"any": [1, {"é": "\\n"}]}');
  assert.equal(session.finished(), true);
  session.close();
});

test("the name chosen decides the schema, also where one name begins another", () => {
  for (const [name, good, bad] of [
    ["get", '"id": 7', "p"],
    ["get_file", '"path": "b"', "i"],
  ] as const) {
    const session = host.open([stretch(tools)]);
    spell(session, `\n{"name": "${name}", "arguments": {"`);
    refuses(session, bad);
    spell(session, `${good.slice(1)}}}\n`);
    give(session, tokenOf("</tool_call>"));
    assert.equal(session.finished(), true);
    session.close();
  }
});

test("a name that is not offered cannot be begun", () => {
  const session = host.open([stretch(tools)]);
  spell(session, '\n{"name": "');
  refuses(session, "x", '"');
  give(session, tokenOf("get"));
  refuses(session, "s", "true");
  assert.deepEqual(
    admitted(session.mask()),
    [tokenOf('"'), tokenOf("_"), tokenOf('", "'), tokenOf("_file")].sort((a, b) => a - b),
  );
  session.close();
});

test("a structural token is not admitted as content", () => {
  const session = host.open([stretch(schema({ type: "string" }))]);
  spell(session, '"');
  refuses(session, "<tool_call>", "</tool_call>", "<|end|>");
  spell(session, "<tool_call>");
  session.close();
});

test("a trigger across token borders starts a stretch with what follows it", () => {
  const session = host.open([triggered(trigger, { kind: "ebnf", text: 'root ::= "{" "a"' }, "free")]);
  for (const text of ["a", "<tool", "_call>"]) give(session, tokenOf(text));
  assert.deepEqual(admitted(session.mask()), [tokenOf("{")]);
  session.close();
  const joined = host.open([triggered("<tool>", { kind: "ebnf", text: 'root ::= "{" "a"' }, "free")]);
  give(joined, tokenOf("<tool"), tokenOf(">{"));
  assert.deepEqual(admitted(joined.mask()), [tokenOf("a")]);
  joined.close();
});

test("a trigger whose token goes on otherwise leaves the text free", () => {
  const session = host.open([triggered("<tool>", { kind: "ebnf", text: 'root ::= "[" "a"' }, "free")]);
  give(session, tokenOf("<tool"), tokenOf(">{"));
  assert.equal(session.mask(), null);
  assert.equal(session.failed(), null);
  spell(session, "<tool>");
  assert.deepEqual(admitted(session.mask()), [tokenOf("[")]);
  session.close();
});

test("after a stretch text is free, and the trigger holds again", () => {
  const session = host.open([triggered(trigger, tools, "free")]);
  for (let round = 0; round < 3; round += 1) {
    spell(session, "Then ");
    assert.equal(session.mask(), null);
    give(session, tokenOf("<tool_call>"));
    assert.notEqual(session.mask(), null);
    spell(session, '\n{"name": "list", "arguments": {}}\n</tool_call>');
    assert.equal(session.mask(), null);
    assert.equal(session.finished(), false);
  }
  session.close();
});

test("each trigger has its grammar", () => {
  const session = host.open([
    triggered("N=", schema({ type: "integer" }), "free"),
    triggered("B=", schema({ type: "boolean" }), "stop"),
  ]);
  spell(session, "N=");
  refuses(session, "true");
  spell(session, "12");
  assert.equal(session.mask(), null, "the number may end");
  spell(session, "3 and B=");
  refuses(session, "12");
  give(session, tokenOf("true"));
  assert.equal(session.finished(), true);
  session.close();
});

test("a token after a grammar that may end can be the next trigger", () => {
  const session = host.open([triggered("N", schema({ type: "integer" }), "free")]);
  spell(session, "N1N");
  refuses(session, "N", "true");
  session.close();
});

test("a stretch from the start may lead to free text with triggers", () => {
  const session = host.open([
    stretch({ kind: "ebnf", text: 'root ::= "{" "}"' }, "free"),
    triggered("!", { kind: "ebnf", text: 'root ::= "a"' }, "stop"),
  ]);
  spell(session, "{}");
  assert.equal(session.mask(), null);
  spell(session, "so!a");
  assert.equal(session.finished(), true);
  session.close();
});

test("sessions do not disturb each other", () => {
  const first = host.open([stretch(schema({ enum: ["ab"] }))]);
  const second = host.open([stretch(tools)]);
  for (const [one, two] of [
    ['"', "\n"],
    ["a", "{"],
    ["b", '"'],
  ] as const) {
    spell(first, one);
    spell(second, two);
  }
  first.close();
  give(second, tokenOf("name"), tokenOf('"'));
  second.close();
});
