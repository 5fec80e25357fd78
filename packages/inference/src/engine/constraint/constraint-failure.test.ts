import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { ConstraintSource } from "../../port/decode-program.ts";
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
import { bytesOf, tokenOf } from "./test-vocabulary.ts";

const trigger = "<tool_call>";
const host = startHost();
after(() => host.close());

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

test("a schema that cannot be compiled fails its session only, and is not tried twice", () => {
  const own = startHost();
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
  const own = startHost();
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
  const own = startHost();
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
  const own = startHost({ now: () => performance.now() + passed, compileTimeoutMs: 600_000 });
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
  const own = startHost({ now: () => passed, compileTimeoutMs: 1 });
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

test("a token given before its mask stands fails the session", () => {
  const own = startHost({ compileTimeoutMs: 600_000 });
  try {
    const session = own.open([stretch(slowSchema)]);
    session.accept(97, bytesOf(97));
    assert.notEqual(session.failed(), null);
    assert.equal(session.ready(), true);
  } finally {
    own.close();
  }
});

test("opening, accepting and looking never wait for a compile", () => {
  const own = startHost({ compileTimeoutMs: 600_000 });
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
  const own = startHost();
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

test("a thread whose memory has grown too large is replaced between stretches, and nobody notices", () => {
  const own = startHost({ maxCompiledBytes: 1 });
  try {
    for (let round = 0; round < 3; round += 1) {
      const session = own.open([stretch(tools)]);
      spell(session, '\n{"name": "get", "arguments": {"id": 1}}\n</tool_call>');
      assert.equal(session.finished(), true);
      session.close();
    }
  } finally {
    own.close();
  }
});
