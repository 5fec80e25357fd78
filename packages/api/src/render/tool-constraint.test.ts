import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hermesCallSyntax } from "./chatml/hermes-text.ts";
import { flattenTools } from "./flatten-tools.ts";
import { customTool, functionTool, namespaceTool } from "./testing/arbitrary-items.ts";
import { answerConstraints } from "./tool-constraint.ts";

const tools = flattenTools([functionTool, customTool, namespaceTool]);
const text = { parallelToolCalls: true, format: { type: "text" as const } };
const single = { ...text, parallelToolCalls: false };
const then = "stop";
const trigger = new TextEncoder().encode("<tool_call>");

describe("answer constraints", () => {
  it("holds calls in free text to the allowed tools, each to its schema", () => {
    const [only, ...others] = answerConstraints(hermesCallSyntax, { allowed: tools, forced: false }, text);
    assert.deepEqual(others, []);
    assert.deepEqual(only?.on, { trigger });
    assert.equal(only?.then, "free");
    assert.deepEqual(only?.source, {
      kind: "named_json",
      begin: '\n{"name": "',
      alternatives: tools.map((tool) => ({ name: tool.renderedName, schema: tool.parameters })),
      between: '", "arguments": ',
      end: "}\n</tool_call>",
    });
  });

  it("ends the output after one call where calls must not run side by side", () => {
    assert.equal(
      answerConstraints(hermesCallSyntax, { allowed: tools, forced: false }, single)[0]?.then,
      "stop",
    );
  });

  it("holds a forced call from the first token on, behind the opening the prompt has", () => {
    const [start, later] = answerConstraints(
      hermesCallSyntax,
      { allowed: tools.slice(0, 1), forced: true },
      text,
    );
    assert.equal(start?.on, "start");
    assert.equal(start?.source.kind === "named_json" && start.source.begin, '{"name": "');
    assert.deepEqual(
      start?.source.kind === "named_json" && start.source.alternatives.map(({ name }) => name),
      ["run"],
    );
    assert.deepEqual(later?.on, { trigger });
    const alone = answerConstraints(hermesCallSyntax, { allowed: tools, forced: true }, single);
    assert.deepEqual(
      alone.map(({ on, then }) => [on, then]),
      [["start", "stop"]],
    );
  });

  it("writes what it admits as the renderer writes a call", () => {
    const odd = [{ ...tools[0]!, renderedName: 'say "hi"' }];
    const [constraint] = answerConstraints(hermesCallSyntax, { allowed: odd, forced: false }, text);
    assert.ok(constraint?.source.kind === "named_json");
    const { begin, alternatives, between, end } = constraint.source;
    const body = `${begin}${alternatives[0]?.name}${between}{}${end}`.replace("</tool_call>", "");
    assert.deepEqual(JSON.parse(body), { name: 'say "hi"', arguments: {} });
  });

  it("holds an answer without tools to its format, and ends with it", () => {
    const none = { allowed: [], forced: false };
    assert.deepEqual(answerConstraints(hermesCallSyntax, none, text), []);
    const [object] = answerConstraints(hermesCallSyntax, none, { ...text, format: { type: "json_object" } });
    assert.deepEqual(object, { on: "start", source: { kind: "json_object" }, then });
    const schema = { type: "object" };
    const format = { type: "json_schema" as const, name: "x", schema };
    const [held] = answerConstraints(hermesCallSyntax, none, { ...text, format });
    assert.deepEqual(held, { on: "start", source: { kind: "json_schema", schema }, then });
  });

  it("leaves the choice between call and answer open where both are possible", () => {
    const format = { type: "json_object" as const };
    const constraints = answerConstraints(
      hermesCallSyntax,
      { allowed: tools, forced: false },
      { ...text, format },
    );
    assert.deepEqual(
      constraints.map(({ on }) => on),
      [{ trigger }],
    );
  });
});
