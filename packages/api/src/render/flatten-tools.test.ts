import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Tool, toolSchema } from "@slipstream-stack/protocol";
import fc from "fast-check";
import { flattenTools } from "./flatten-tools.ts";
import { ToolScope } from "./tool-scope.ts";

const tools = (...raw: unknown[]): Tool[] => raw.map((tool) => toolSchema.parse(tool));
const names = (list: readonly { renderedName: string }[]): string[] => list.map((tool) => tool.renderedName);
const echo = {
  type: "function",
  name: "echo",
  description: "Echoes.",
  parameters: { type: "object", properties: {} },
};

describe("flatten tools", () => {
  it("keeps functions as they are and in order", () => {
    const [first, second] = flattenTools(tools(echo, { type: "function", name: "bare" }));
    assert.equal(first?.renderedName, "echo");
    assert.equal(first?.kind, "function");
    assert.deepEqual(first?.parameters, echo.parameters);
    assert.equal(second?.description, null);
    assert.deepEqual(second?.parameters, { type: "object", properties: {} });
  });

  it("gives a custom tool one string, and tells its grammar", () => {
    const grammar = { type: "grammar", syntax: "lark", definition: 'start: "x"' };
    const [patch] = flattenTools(
      tools({ type: "custom", name: "patch", description: "Edits.", format: grammar }),
    );
    assert.equal(patch?.kind, "custom");
    assert.deepEqual(patch?.parameters["required"], ["input"]);
    assert.match(patch?.description ?? "", /^Edits\..*lark grammar:\nstart: "x"$/s);
    const [plain] = flattenTools(tools({ type: "custom", name: "note", format: { type: "text" } }));
    assert.equal(plain?.description, null);
  });

  it("flattens namespaces and finds the way back", () => {
    const flat = flattenTools(
      tools({ type: "namespace", name: "mcp__echo", tools: [echo, { type: "custom", name: "raw" }] }),
    );
    assert.deepEqual(names(flat), ["mcp__echo__echo", "mcp__echo__raw"]);
    const scope = ToolScope.empty.with(flat);
    assert.deepEqual(
      [scope.byRenderedName("mcp__echo__echo")?.namespace, scope.byRenderedName("mcp__echo__echo")?.name],
      ["mcp__echo", "echo"],
    );
    assert.equal(scope.find("mcp__echo", "raw")?.renderedName, "mcp__echo__raw");
    assert.equal(scope.find(null, "raw")?.renderedName, "mcp__echo__raw");
    assert.equal(scope.find("other", "raw"), undefined);
  });

  it("leaves out types it does not know", () => {
    assert.deepEqual(
      flattenTools(tools({ type: "web_search" }, echo, { type: "mcp", server_label: "x" })).length,
      1,
    );
  });

  it("makes a client's tool search a function, and a server's none", () => {
    const [search] = flattenTools(
      tools({ type: "tool_search", execution: "client", description: "Finds tools." }),
    );
    assert.deepEqual(
      [search?.renderedName, search?.kind, search?.description],
      ["tool_search", "tool_search", "Finds tools."],
    );
    assert.deepEqual(flattenTools(tools({ type: "tool_search" })), []);
  });

  it("leaves deferred tools to the search that can load them, and loads them in items", () => {
    const deferred = { ...echo, defer_loading: true };
    const search = { type: "tool_search", execution: "client" };
    assert.deepEqual(names(flattenTools(tools(search, deferred))), ["tool_search"]);
    assert.deepEqual(names(flattenTools(tools(deferred))), ["echo"]);
    assert.deepEqual(names(flattenTools(tools(deferred), ToolScope.empty, "item")), ["echo"]);
  });

  it("settles collisions by order, against the scope too", () => {
    const clashing = tools(
      { type: "function", name: "a__b" },
      { type: "namespace", name: "a", tools: [{ ...echo, name: "b" }] },
    );
    assert.deepEqual(names(flattenTools(clashing)), ["a__b", "a__b_2"]);
    const scope = ToolScope.empty.with(flattenTools(tools({ type: "function", name: "a__b" })));
    const later = flattenTools(
      tools({ type: "namespace", name: "a", tools: [{ ...echo, name: "b" }] }),
      scope,
      "item",
    );
    assert.deepEqual(names(later), ["a__b_2"]);
    assert.equal(scope.with(later).find("a", "b")?.renderedName, "a__b_2");
  });

  it("counts a tool declared twice once, as it was declared last", () => {
    const flat = flattenTools(tools(echo, { ...echo, description: "Again." }));
    assert.deepEqual(
      flat.map((tool) => tool.description),
      ["Again."],
    );
    const scope = ToolScope.empty
      .with(flat)
      .with(flattenTools(tools(echo), ToolScope.empty.with(flat), "item"));
    assert.deepEqual(
      scope.tools.map((tool) => tool.description),
      ["Echoes."],
    );
  });

  it("gives every tool a name of its own, the same each time, that leads back to it", () => {
    const name = fc.stringMatching(/^[ab_2]{1,4}$/);
    const declared = fc.oneof(
      name.map((each) => ({ type: "function", name: each })),
      fc.tuple(name, fc.array(name, { maxLength: 3 })).map(([namespace, inner]) => ({
        type: "namespace",
        name: namespace,
        tools: inner.map((each) => ({ type: "custom", name: each })),
      })),
    );
    fc.assert(
      fc.property(fc.array(declared, { maxLength: 8 }), (raw) => {
        const flat = flattenTools(tools(...raw));
        assert.equal(new Set(names(flat)).size, flat.length);
        assert.deepEqual(names(flattenTools(tools(...raw))), names(flat));
        const scope = ToolScope.empty.with(flat);
        for (const tool of flat) {
          assert.equal(scope.find(tool.namespace, tool.name), tool);
          assert.equal(scope.byRenderedName(tool.renderedName), tool);
        }
      }),
    );
  });
});
