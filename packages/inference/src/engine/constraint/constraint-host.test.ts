import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Constraint, ConstraintSource } from "../../port/decode-program.ts";
import { startConstraintHost } from "./constraint-host.ts";
import type { ConstraintHostOptions, ConstraintSession } from "./constraint-session.ts";
import { admits, admitted, bytesOf, testVocabulary, tokenOf } from "./test-vocabulary.ts";

const now = () => performance.now();
const patience = 30_000;
const end = testVocabulary.endOfGeneration[0]!;
const trigger = "<tool_call>";

function start(options: Partial<ConstraintHostOptions> = {}) {
  return startConstraintHost({ vocabulary: testVocabulary, now, ...options });
}

const host = start();
after(() => host.close());

function stretch(source: ConstraintSource, then: Constraint["then"] = "stop"): Constraint {
  return { on: "start", source, then };
}

function triggered(text: string, source: ConstraintSource, then: Constraint["then"]): Constraint {
  return { on: { trigger: new TextEncoder().encode(text) }, source, then };
}

function schema(value: Extract<ConstraintSource, { kind: "json_schema" }>["schema"]): ConstraintSource {
  return { kind: "json_schema", schema: value };
}

const tools: ConstraintSource = {
  kind: "named_json",
  begin: '\n{"name": "',
  alternatives: [
    {
      name: "get",
      schema: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
    },
    {
      name: "get_file",
      schema: { type: "object", properties: { path: { enum: ["a", "b"] } }, required: ["path"] },
    },
    { name: "list", schema: { type: "object", properties: {} } },
  ],
  between: '", "arguments": ',
  end: "}\n</tool_call>",
};

function settle(session: ConstraintSession): void {
  assert.equal(session.wait(patience), true, "no answer in time");
}

/** Takes seconds to compile: many counted repetitions, each different. */
const slowSchema = schema({
  type: "object",
  properties: Object.fromEntries(
    Array.from({ length: 400 }, (_, index) => [
      `p${index}`,
      { type: "string", pattern: `^[a-z${index % 10}]{0,${200 + index}}$` },
    ]),
  ),
});

/** Gives tokens one by one, each of which must be admitted. */
function give(session: ConstraintSession, ...ids: number[]): void {
  for (const id of ids) {
    settle(session);
    assert.equal(session.failed(), null);
    assert.equal(admits(session.mask(), id), true, `not admitted: ${Buffer.from(bytesOf(id))}`);
    session.accept(id, bytesOf(id));
  }
  settle(session);
}

/** Gives a text byte by byte. */
function spell(session: ConstraintSession, text: string): void {
  give(session, ...Buffer.from(text));
}

function refuses(session: ConstraintSession, ...texts: string[]): void {
  settle(session);
  for (const text of texts) assert.equal(admits(session.mask(), tokenOf(text)), false, text);
}

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

test("a schema that cannot be compiled fails its session only, and is not tried twice", () => {
  const own = start();
  try {
    const running = own.open([stretch(tools)]);
    spell(running, '\n{"name": "get');
    const bad = schema({ type: "string", pattern: "(" });
    for (let round = 0; round < 6; round += 1) {
      const session = own.open([stretch(bad)]);
      settle(session);
      assert.notEqual(session.failed(), null);
      assert.equal(session.mask(), null);
      session.close();
    }
    spell(running, '", "arguments": {"id": 1}}\n</tool_call>');
    assert.equal(running.finished(), true);
    assert.equal(running.failed(), null);
  } finally {
    own.close();
  }
});

test("a session that waits while the thread breaks takes up in the next one", () => {
  const own = start();
  try {
    const bad = own.open([stretch(schema({ type: "odd" }))]);
    const good = own.open([stretch(schema({ type: "boolean" }))]);
    settle(good);
    refuses(good, "12");
    settle(bad);
    assert.notEqual(bad.failed(), null);
    give(good, tokenOf("true"));
    assert.equal(good.finished(), true);
  } finally {
    own.close();
  }
});

test("a bad schema prepared ahead fails the session that comes with it", () => {
  const own = start();
  try {
    const bad = schema({ $ref: "#/nowhere" });
    own.prepare([bad, schema({ type: "null" })]);
    const session = own.open([stretch(bad)]);
    settle(session);
    assert.notEqual(session.failed(), null);
  } finally {
    own.close();
  }
});

test("a grammar that takes too long fails its session, and others go on", () => {
  let passed = 0;
  const own = start({ now: () => performance.now() + passed, compileTimeoutMs: 600_000 });
  try {
    const running = own.open([stretch({ kind: "json_object" })]);
    spell(running, '{"');
    const slow = own.open([stretch(slowSchema)]);
    while (!slow.wait(200)) passed += 600_001;
    assert.notEqual(slow.failed(), null);
    spell(running, 'a": 1}');
    assert.equal(running.finished(), true);
  } finally {
    own.close();
  }
});

test("a thread that never answers fails the session in the end", () => {
  let passed = 0;
  const own = start({ now: () => passed, compileTimeoutMs: 1 });
  try {
    const session = own.open([stretch(slowSchema)]);
    for (let look = 0; look < 10 && !session.ready(); look += 1) passed += 2;
    assert.notEqual(session.failed(), null);
  } finally {
    own.close();
  }
});

test("bad constraints fail at once", () => {
  const free: ConstraintSource = { kind: "json_object" };
  const sessions = [
    host.open([stretch(free), stretch(free)]),
    host.open([triggered("", free, "free")]),
    host.open([stretch({ kind: "named_json", begin: "", alternatives: [], between: "", end: "" })]),
    host.open([
      stretch({
        kind: "named_json",
        begin: "",
        alternatives: [
          { name: "a", schema: {} },
          { name: "ab", schema: {} },
        ],
        between: "",
        end: "",
      }),
    ]),
  ];
  for (const session of sessions) {
    settle(session);
    assert.notEqual(session.failed(), null);
    session.close();
  }
});

test("a token outside the mask fails the session", () => {
  const session = host.open([stretch(schema({ type: "boolean" }))]);
  settle(session);
  session.accept(tokenOf("a"), bytesOf(tokenOf("a")));
  settle(session);
  assert.notEqual(session.failed(), null);
  session.close();
});

test("opening, accepting and looking never wait for a compile", () => {
  const own = start({ compileTimeoutMs: 600_000 });
  try {
    const slow = own.open([stretch(slowSchema)]);
    const other = own.open([triggered(trigger, tools, "free")]);
    give(other, 97, 98);
    other.accept(tokenOf("<tool_call>"), bytesOf(tokenOf("<tool_call>")));
    assert.equal(other.ready(), false);
    assert.equal(slow.ready(), false);
    assert.equal(slow.wait(1), false);
    slow.close();
    other.close();
    assert.equal(slow.ready(), true);
  } finally {
    own.close();
  }
});

test("a closed host fails its sessions, open and new", () => {
  const own = start();
  const before = own.open([stretch(tools)]);
  own.close();
  own.close();
  own.prepare([tools]);
  const later = own.open([]);
  for (const session of [before, later]) {
    assert.equal(session.ready(), true);
    assert.notEqual(session.failed(), null);
  }
});
