import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Item, itemSchema, WireError } from "@slipstream-stack/protocol";
import type { ChainNode } from "../chain/chain-node.ts";
import { ApiError } from "../errors.ts";
import { splitTokens } from "./forced-tokens.ts";
import { TeacherForcing } from "./teacher-forcing.ts";
import { parseTrajectory } from "./trajectory.ts";

const call = (name: string, id?: string) => ({
  type: "function_call",
  name,
  arguments: '{"a": 1}',
  ...(id === undefined ? {} : { call_id: id }),
});
const text = (value: string) => ({
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text: value }],
});
const lines = [
  { output: [text("Looking."), call("shell", "call_1")] },
  { output: [call("shell")] },
  { output: [text("Done.")] },
];
const file = lines.map((line) => JSON.stringify(line)).join("\n");

function items(...raw: object[]): Item[] {
  return raw.map((entry) => itemSchema.parse(entry));
}

function nextLine(...history: object[]): number {
  const outputs = parseTrajectory(file);
  const next = new TeacherForcing(outputs).next(null, items(...history));
  return outputs.findIndex((output) => JSON.stringify(output) === JSON.stringify(next));
}

function code(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (WireError.isInstance(error) || ApiError.isInstance(error)) return error.code;
    throw error;
  }
  return "nothing thrown";
}

const user = { role: "user", content: "go" };
const result = (id: string) => ({ type: "function_call_output", call_id: id, output: "ok" });

/** A chain node as far as the position needs it. */
function node(...raw: object[]): ChainNode {
  return { items: items(...raw), parent: null, parentItems: 0 } as unknown as ChainNode;
}

describe("TeacherForcing", () => {
  it("looks only at what a request keeps of a node", () => {
    const outputs = parseTrajectory(file);
    const forcing = new TeacherForcing(outputs);
    const held = node(user, text("Something else."));
    assert.equal(
      code(() => forcing.next({ node: held, kept: 2 }, [])),
      "trajectory_mismatch",
    );
    assert.equal(forcing.next({ node: held, kept: 1 }, []), outputs[0]);
    const resent = items(text("Looking."), call("shell", "call_1"), result("call_1"));
    assert.equal(forcing.next({ node: held, kept: 1 }, resent), outputs[1]);
  });

  it("remembers where a node ends", () => {
    const outputs = parseTrajectory(file);
    const forcing = new TeacherForcing(outputs);
    const held = node(user, text("Looking."), call("shell", "call_1"));
    for (let count = 0; count < 2; count += 1) {
      assert.equal(forcing.next({ node: held, kept: 3 }, items(result("call_1"))), outputs[1]);
      assert.equal(forcing.next({ node: held, kept: 1 }, []), outputs[0]);
    }
  });

  it("counts the leading lines whose output stands in the history", () => {
    assert.equal(nextLine(user), 0);
    assert.equal(nextLine(user, text("Looking."), call("shell", "call_1"), result("call_1")), 1);
    assert.equal(
      nextLine(
        user,
        text("Looking."),
        call("shell", "call_1"),
        result("call_1"),
        call("shell", "any"),
        result("any"),
      ),
      2,
    );
  });

  it("compares parsed fields: ids, status, key order and white space in arguments do not count", () => {
    const resent = {
      call_id: "call_1",
      arguments: '{ "a":1 }',
      status: "completed",
      name: "shell",
      id: "fc_9",
      type: "function_call",
    };
    assert.equal(nextLine(user, { ...text("Looking."), id: "msg_1" }, resent, result("call_1")), 1);
  });

  it("consumes nothing for an answer that was cut: the line is written again", () => {
    assert.equal(nextLine(user, text("Looking.")), 0);
    assert.equal(nextLine(user, text("Looking."), text("Looking."), call("shell", "call_1")), 1);
  });

  it("refuses a history that contradicts it, and one past its end", () => {
    assert.equal(
      code(() => nextLine(user, text("Something else."))),
      "trajectory_mismatch",
    );
    assert.equal(
      code(() => nextLine(user, text("Looking."), call("shell", "call_2"))),
      "trajectory_mismatch",
    );
    const all = [text("Looking."), call("shell", "call_1"), call("shell", "x"), text("Done.")];
    assert.equal(
      code(() => nextLine(user, ...all)),
      "trajectory_exhausted",
    );
  });

  it("names a line that cannot be read", () => {
    assert.equal(
      code(() => parseTrajectory("{}")),
      "trajectory_unreadable",
    );
    assert.equal(
      code(() => parseTrajectory('{"output":[{"type":"message"}]}')),
      "trajectory_unreadable",
    );
  });
});

describe("splitTokens", () => {
  it("splits what can be split and leaves structure alone", () => {
    const pieces = ["a", "b", "ab", "<|x|>"].map((piece) => new TextEncoder().encode(piece));
    const vocabulary = {
      pieces,
      structural: new Map([[3, "<|x|>"]]),
      endOfGeneration: [3],
      beginOfText: null,
      addBeginOfText: false,
    };
    assert.deepEqual([...splitTokens(Uint32Array.of(2, 3, 0), vocabulary)], [0, 1, 3, 0]);
  });
});
