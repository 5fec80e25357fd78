import assert from "node:assert/strict";
import type { JsonObject } from "@slipstream-stack/protocol";
import type { Constraint, ConstraintSource } from "../../port/decode-program.ts";
import { startConstraintHost } from "./constraint-host.ts";
import type { ConstraintHost, ConstraintHostOptions, ConstraintSession } from "./constraint-session.ts";
import { admits, bytesOf, testVocabulary, tokenOf } from "./test-vocabulary.ts";

/** Longest wait for a grammar in a test, milliseconds. */
const patience = 30_000;

/** A host over the test vocabulary, with the real clock. */
export function startHost(options: Partial<ConstraintHostOptions> = {}): ConstraintHost {
  return startConstraintHost({ vocabulary: testVocabulary, now: () => performance.now(), ...options });
}

/** A constraint from the first token. */
export function stretch(source: ConstraintSource, then: Constraint["then"] = "stop"): Constraint {
  return { on: "start", source, then };
}

/** A constraint after each appearance of a text. */
export function triggered(text: string, source: ConstraintSource, then: Constraint["then"]): Constraint {
  return { on: { trigger: new TextEncoder().encode(text) }, source, then };
}

export function schema(value: JsonObject): ConstraintSource {
  return { kind: "json_schema", schema: value };
}

/** Three tools, the name of one of which begins that of another. */
export const tools: ConstraintSource = {
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

/** Waits for the thread. */
export function settle(session: ConstraintSession): void {
  assert.equal(session.wait(patience), true, "no answer in time");
}

/** Gives tokens one by one, each of which must be admitted. */
export function give(session: ConstraintSession, ...ids: number[]): void {
  for (const id of ids) {
    settle(session);
    assert.equal(session.failed(), null);
    assert.equal(admits(session.mask(), id), true, `not admitted: ${Buffer.from(bytesOf(id))}`);
    session.accept(id, bytesOf(id));
  }
  settle(session);
}

/** Gives a text byte by byte. */
export function spell(session: ConstraintSession, text: string): void {
  give(session, ...Buffer.from(text));
}

/** Asserts that none of these tokens is admitted. */
export function refuses(session: ConstraintSession, ...texts: string[]): void {
  settle(session);
  for (const text of texts) assert.equal(admits(session.mask(), tokenOf(text)), false, text);
}
