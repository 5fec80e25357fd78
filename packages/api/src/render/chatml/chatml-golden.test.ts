import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import type { Item, JsonObject } from "@slipstream-stack/protocol";
import fc from "fast-check";
import { withCanonicalLines } from "../canonical-lines.ts";
import { flattenTools } from "../flatten-tools.ts";
import {
  anyText,
  call,
  functionTool,
  jsonArguments,
  message,
  namespaceTool,
  qwenStructure,
  result,
  smollmStructure,
} from "../testing/arbitrary-items.ts";
import { type TemplateMessage, TemplateRenderer } from "../whole/template-renderer.ts";
import { createChatmlDialect } from "./chatml-dialect.ts";
import { toolDeclaration } from "./hermes-text.ts";

const template = (name: string): TemplateRenderer =>
  new TemplateRenderer(readFileSync(new URL(`../fixtures/${name}.jinja`, import.meta.url), "utf8"), {
    beginOfText: null,
    endOfText: null,
  });

/** A stretch of conversation in both forms: our items, and the messages the template reads. */
interface Turn {
  readonly items: readonly Item[];
  readonly messages: readonly TemplateMessage[];
}

const talk =
  (role: "user" | "assistant" | "system") =>
  (text: string): Turn => ({
    items: [message(role === "system" ? "developer" : role, text)],
    messages: [{ role, content: text }],
  });
const users = anyText.map(talk("user"));
const assistants = anyText.map(talk("assistant"));
const systems = anyText.map(talk("system"));
const callNames = fc.constantFrom("run", "mcp__echo__say");

function calls(text: string, made: readonly (readonly [string, JsonObject])[]): Turn {
  const item = (name: string, value: JsonObject): Item =>
    name === "run" ? call(JSON.stringify(value, null, 2)) : call(JSON.stringify(value), "say", "mcp__echo");
  const toolCalls = made.map(([name, value]) => ({
    type: "function" as const,
    function: { name, arguments: value },
  }));
  return {
    items: [
      ...(text === "" ? [] : [message("assistant", text)]),
      ...made.map(([name, value]) => item(name, value)),
    ],
    messages: [{ role: "assistant", content: text, tool_calls: toolCalls }],
  };
}

/** Calls with what came back, several of both. */
const callTurns: fc.Arbitrary<Turn> = fc
  .tuple(
    anyText,
    fc.array(fc.tuple(callNames, jsonArguments), { minLength: 1, maxLength: 3 }),
    fc.array(anyText, { minLength: 1, maxLength: 3 }),
  )
  .map(([text, made, outputs]) => {
    const turn = calls(text, made);
    return {
      items: [...turn.items, ...outputs.map(result)],
      messages: [...turn.messages, ...outputs.map((content): TemplateMessage => ({ role: "tool", content }))],
    };
  });

/** Two results in a row are one turn, so something must stand between two groups of calls. */
function conversation(between: fc.Arbitrary<Turn>): fc.Arbitrary<Turn[]> {
  const round = fc.tuple(callTurns, fc.array(between, { minLength: 1, maxLength: 3 }));
  return fc.tuple(users, fc.array(round, { maxLength: 3 })).map(([first, rounds]) => {
    return [first, ...rounds.flatMap(([made, others]) => [made, ...others])];
  });
}

function ours(
  dialect: ReturnType<typeof createChatmlDialect>,
  head: Parameters<typeof dialect.head>[0],
  turns: readonly Turn[],
): string {
  let last = dialect.head(head);
  const steps = [last];
  for (const item of turns.flatMap((turn) => turn.items)) {
    last = dialect.step(last.state, item);
    steps.push(last);
  }
  steps.push(dialect.prompt(last.state, { forcedCall: null }));
  return steps
    .flatMap((step) => [...step.glue, ...step.item])
    .map((segment) => segment.text)
    .join("");
}

function theirs(
  renderer: TemplateRenderer,
  instructions: string | null,
  turns: readonly Turn[],
  tools: readonly JsonObject[],
): string {
  const system: TemplateMessage[] = instructions === null ? [] : [{ role: "system", content: instructions }];
  const messages = [...system, ...turns.flatMap((turn) => turn.messages)];
  return renderer.render({ messages, tools, generationPrompt: true });
}

const instructed = fc.option(
  anyText.filter((text) => text !== ""),
  { nil: null },
);

describe("chatml against SmolLM2's own template", () => {
  const renderer = template("smollm2-instruct");
  const defaultSystem = "You are a helpful AI assistant named SmolLM, trained by Hugging Face";
  const dialect = createChatmlDialect({
    structural: smollmStructure,
    defaultSystem,
    thinking: null,
    openCompaction: () => null,
  });

  it("renders any talk to the very same text", () => {
    fc.assert(
      fc.property(
        instructed,
        fc.array(fc.oneof(users, assistants, systems), { minLength: 1, maxLength: 8 }),
        (instructions, turns) => {
          assert.equal(
            ours(dialect, { instructions, tools: [] }, turns),
            theirs(renderer, instructions, turns, []),
          );
        },
      ),
    );
  });
});

describe("chatml against Qwen 2.5's own template", () => {
  const renderer = template("qwen2.5-instruct");
  const defaultSystem = "You are Qwen, created by Alibaba Cloud. You are a helpful assistant.";
  const dialect = createChatmlDialect({
    structural: qwenStructure,
    defaultSystem,
    thinking: null,
    openCompaction: () => null,
  });
  const tools = flattenTools([functionTool, namespaceTool]);

  it("renders any talk with calls to the same text, lines of JSON compared by value", () => {
    fc.assert(
      fc.property(instructed, conversation(fc.oneof(users, systems)), (instructions, turns) => {
        assert.equal(
          withCanonicalLines(ours(dialect, { instructions, tools }, turns)),
          withCanonicalLines(theirs(renderer, instructions, turns, tools.map(toolDeclaration))),
        );
      }),
      { numRuns: 200 },
    );
  });

  it("renders talk without tools to the very same text", () => {
    fc.assert(
      fc.property(
        instructed,
        fc.array(fc.oneof(users, assistants), { minLength: 1, maxLength: 8 }),
        (instructions, turns) => {
          assert.equal(
            ours(dialect, { instructions, tools: [] }, turns),
            theirs(renderer, instructions, turns, []),
          );
        },
      ),
    );
  });
});
