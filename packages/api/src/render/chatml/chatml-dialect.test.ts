import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TextSegment } from "@slipstream-stack/inference";
import { type Item, itemSchema } from "@slipstream-stack/protocol";
import fc from "fast-check";
import type { HeadSettings, Rendered, RenderState } from "../dialect.ts";
import { flattenTools } from "../flatten-tools.ts";
import {
  anyItem,
  call,
  customCall,
  message,
  modelOutput,
  qwenStructure,
  result,
  smollmStructure,
  someTools,
  thought,
} from "../testing/arbitrary-items.ts";
import { createChatmlDialect } from "./chatml-dialect.ts";

const opened = {
  openCompaction: (item: { encrypted_content: string }) => `opened ${item.encrypted_content}`,
};
const qwen = createChatmlDialect({
  structural: qwenStructure,
  defaultSystem: "Default.",
  thinking: null,
  ...opened,
});
const smollm = createChatmlDialect({
  structural: smollmStructure,
  defaultSystem: "Default.",
  thinking: null,
  ...opened,
});
const thinker = createChatmlDialect({
  structural: [...qwenStructure, "<think>", "</think>"],
  defaultSystem: null,
  thinking: { open: "<think>", close: "</think>" },
  ...opened,
});
const free = { forcedCall: null };
const bare: HeadSettings = { instructions: null, tools: [] };
const tooled: HeadSettings = { instructions: "Be brief.", tools: flattenTools(someTools) };

const segmentsOf = (...steps: Rendered[]): TextSegment[] =>
  steps.flatMap((step) => [...step.glue, ...step.item]);
const textOf = (segments: readonly TextSegment[]): string => segments.map((segment) => segment.text).join("");

function walk(
  dialect: typeof qwen,
  head: HeadSettings,
  items: readonly Item[],
): { text: string; state: RenderState; steps: Rendered[] } {
  const steps = [dialect.head(head)];
  for (const item of items) steps.push(dialect.step(steps.at(-1)!.state, item));
  return { text: textOf(segmentsOf(...steps)), state: steps.at(-1)!.state, steps };
}

describe("chatml: turns", () => {
  it("renders no head for nothing, then the default system turn before a first user", () => {
    assert.deepEqual(segmentsOf(qwen.head(bare)), []);
    assert.equal(
      walk(qwen, bare, [message("user", "hi")]).text,
      "<|im_start|>system\nDefault.<|im_end|>\n<|im_start|>user\nhi<|im_end|>\n",
    );
  });

  it("renders no default where the conversation begins with its own system text", () => {
    const text = "<|im_start|>system\nrules<|im_end|>\n";
    assert.equal(walk(qwen, bare, [message("developer", "rules")]).text, text);
    assert.equal(walk(qwen, bare, [message("system", "rules")]).text, text);
  });

  it("puts header and content of a turn into one plain segment", () => {
    const { steps } = walk(qwen, { instructions: "x", tools: [] }, [message("user", "hi")]);
    assert.deepEqual(steps[1]?.glue, []);
    assert.deepEqual(steps[1]?.item, [
      { text: "<|im_start|>", special: true },
      { text: "user\nhi", special: false },
      { text: "<|im_end|>", special: true },
      { text: "\n", special: false },
    ]);
  });

  it("closes an assistant turn only with what follows it", () => {
    const { steps, state } = walk(qwen, bare, [message("user", "hi"), message("assistant", "yo")]);
    assert.equal(textOf(segmentsOf(steps[2]!)), "<|im_start|>assistant\nyo");
    assert.equal(textOf(qwen.step(state, message("user", "more")).glue), "<|im_end|>\n");
    assert.equal(textOf(qwen.prompt(state, free).glue), "<|im_end|>\n<|im_start|>assistant\n");
  });

  it("keeps a message, its calls and what follows them in one turn", () => {
    const items = [
      message("assistant", "Look."),
      call('{ "b": 1, "a": 2 }'),
      call("{}"),
      message("assistant", "So."),
    ];
    assert.equal(
      walk(qwen, { instructions: "x", tools: [] }, items).text.split("\n").slice(2).join("\n"),
      '<|im_start|>assistant\nLook.\n<tool_call>\n{"name": "run", "arguments": {"a":2,"b":1}}\n</tool_call>' +
        '\n<tool_call>\n{"name": "run", "arguments": {}}\n</tool_call>\nSo.',
    );
  });

  it("opens a new turn for a message after a message, an empty one too", () => {
    const { text } = walk(smollm, { instructions: "x", tools: [] }, [
      message("assistant", ""),
      message("assistant", "b"),
      call("{}"),
    ]);
    assert.equal(
      text,
      "<|im_start|>system\nx<|im_end|>\n<|im_start|>assistant\n<|im_end|>\n<|im_start|>assistant\nb" +
        '\n<tool_call>\n{"name": "run", "arguments": {}}\n</tool_call>',
    );
  });

  it("merges results into one user turn", () => {
    const { text } = walk(smollm, { instructions: "x", tools: [] }, [
      call("{}"),
      result("one"),
      result("two"),
      message("user", "ok"),
    ]);
    assert.ok(
      text.endsWith(
        "<|im_end|>\n<|im_start|>user\n<tool_response>\none\n</tool_response>\n<tool_response>\ntwo\n</tool_response>" +
          "<|im_end|>\n<|im_start|>user\nok<|im_end|>\n",
      ),
    );
  });

  it("writes arguments that are not lossless JSON as they stand, and none as an empty object", () => {
    for (const [given, written] of [
      ["not json", "not json"],
      ['{"n":12345678901234567890}', '{"n":12345678901234567890}'],
      ["", "{}"],
    ]) {
      assert.ok(walk(qwen, bare, [call(given!)]).text.includes(`"arguments": ${written}}`));
    }
  });
});

describe("chatml: tools and other items", () => {
  it("marks the call tags of the tool block as structure only where the vocabulary has them", () => {
    const special = (dialect: typeof qwen) =>
      segmentsOf(dialect.head(tooled))
        .filter((segment) => segment.special)
        .map((segment) => segment.text);
    const call = ["<tool_call>", "</tool_call>"];
    assert.deepEqual(special(qwen), ["<|im_start|>", ...call, ...call, "<|im_end|>"]);
    assert.deepEqual(special(smollm), ["<|im_start|>", "<|im_end|>"]);
    assert.equal(textOf(segmentsOf(qwen.head(tooled))), textOf(segmentsOf(smollm.head(tooled))));
  });

  it("gives a head without instructions the default system text, or none", () => {
    const settings = { instructions: null, tools: tooled.tools };
    assert.ok(textOf(qwen.head(settings).item).startsWith("<|im_start|>system\nDefault.\n\n# Tools\n"));
    assert.ok(textOf(thinker.head(settings).item).startsWith("<|im_start|>system\n# Tools\n"));
  });

  it("calls a namespaced tool by its flat name, and a custom one with its input", () => {
    const { text } = walk(qwen, tooled, [call("{}", "say", "mcp__echo"), customCall("a\nb")]);
    assert.ok(text.includes('{"name": "mcp__echo__say", "arguments": {}}'));
    assert.ok(text.includes('{"name": "patch", "arguments": {"input":"a\\nb"}}'));
  });

  it("shows later tools where they come, and makes them callable from there on", () => {
    const later: Item = itemSchema.parse({
      type: "additional_tools",
      tools: [{ type: "function", name: "later" }],
    });
    const { steps, state } = walk(qwen, tooled, [message("user", "hi"), later]);
    assert.match(
      textOf(steps[2]!.item),
      /^<\|im_start\|>system\n# Tools\n.*"name":"later".*<\|im_end\|>\n$/s,
    );
    assert.deepEqual(
      qwen.tools(steps[1]!.state).map((tool) => tool.renderedName),
      tooled.tools.map((tool) => tool.renderedName),
    );
    assert.equal(qwen.tools(state).at(-1)?.renderedName, "later");
  });

  it("answers a tool search with the names found, then shows the tools", () => {
    const output = (names: string[]): Item =>
      itemSchema.parse({
        type: "tool_search_output",
        call_id: "c",
        execution: "client",
        tools: names.map((name) => ({ type: "function", name, defer_loading: true })),
      });
    const some = walk(qwen, tooled, [message("user", "hi"), output(["deep"])]);
    assert.match(
      some.text,
      /<tool_response>\n\{"tools":\["deep"\]\}\n<\/tool_response><\|im_end\|>\n<\|im_start\|>system\n# Tools/,
    );
    const none = walk(qwen, tooled, [message("user", "hi"), output([])]);
    assert.ok(none.text.endsWith('<tool_response>\n{"tools":[]}\n</tool_response>'));
  });

  it("renders a compaction as its opened text, and one it cannot open not at all", () => {
    const compaction: Item = itemSchema.parse({ type: "compaction", encrypted_content: "seal" });
    assert.ok(
      walk(qwen, bare, [compaction]).text.endsWith(
        "Summary of the conversation so far:\nopened seal<|im_end|>\n",
      ),
    );
    const blind = createChatmlDialect({
      structural: [],
      defaultSystem: null,
      thinking: null,
      openCompaction: () => null,
    });
    assert.equal(walk(blind, bare, [compaction]).text, "");
  });

  it("renders thoughts only where the model thinks", () => {
    const items = [thought("hmm"), message("assistant", "yo"), thought("again"), call("{}")];
    assert.equal(walk(smollm, { instructions: "x", tools: [] }, [thought("hmm")]).steps[1]?.item.length, 0);
    assert.ok(
      walk(thinker, bare, items).text.startsWith(
        "<|im_start|>assistant\n<think>\nhmm\n</think>\n\nyo<|im_end|>\n<|im_start|>assistant\n<think>\nagain\n</think>\n\n<tool_call>",
      ),
    );
  });

  it("keeps the history of tools it does not run as lines of JSON", () => {
    const items = [
      itemSchema.parse({ type: "shell_call", call_id: "1", action: { commands: ["ls"] } }),
      itemSchema.parse({ type: "shell_call_output", call_id: "1", output: [{ stdout: "x" }] }),
    ];
    assert.ok(
      walk(smollm, { instructions: "x", tools: [] }, items).text.endsWith(
        '<|im_start|>assistant\n{"action":{"commands":["ls"]},"type":"shell_call"}<|im_end|>\n' +
          '<|im_start|>user\n<tool_response>\n{"output":[{"stdout":"x"}],"type":"shell_call_output"}\n</tool_response>',
      ),
    );
  });

  it("never renders ids, status or metadata", () => {
    const ids = {
      id: "ID",
      status: "STATUS",
      phase: "PHASE",
      internal_chat_message_metadata_passthrough: { x: "META" },
    };
    const items = [
      {
        type: "message",
        role: "assistant",
        content: [{ type: "output_text", text: "a", annotations: ["ID"], logprobs: ["ID"] }],
        ...ids,
      },
      { type: "function_call", call_id: "CALL", name: "run", arguments: "{}", ...ids },
      { type: "function_call_output", call_id: "CALL", output: "b", ...ids },
    ].map((raw) => itemSchema.parse(raw));
    assert.doesNotMatch(walk(qwen, tooled, items).text, /ID|STATUS|PHASE|META|CALL/);
  });
});

describe("chatml: laws", () => {
  const dialects = { qwen, smollm, thinker };
  const conversation = fc.tuple(fc.constantFrom(bare, tooled), fc.array(anyItem, { maxLength: 8 }));

  for (const [name, dialect] of Object.entries(dialects)) {
    it(`${name}: structure comes from the dialect alone, in turns that open and close`, () => {
      const structure =
        name === "smollm"
          ? smollmStructure
          : [...qwenStructure, ...(name === "thinker" ? ["<think>", "</think>"] : [])];
      fc.assert(
        fc.property(conversation, ([head, items]) => {
          const { steps, state } = walk(dialect, head, items);
          const segments = segmentsOf(...steps, dialect.prompt(state, free));
          for (const { text, special } of segments) {
            if (special) assert.ok(structure.includes(text));
            else assert.ok(structure.every((token) => !text.includes(token)) && text !== "");
          }
          const turns = segments
            .filter((each) => each.special && each.text.startsWith("<|im_"))
            .map((each) => each.text);
          for (const [index, turn] of turns.entries()) {
            assert.equal(turn, index % 2 === 0 ? "<|im_start|>" : "<|im_end|>");
          }
          assert.equal(turns.length % 2, 1);
        }),
      );
    });

    it(`${name}: a step depends on the state alone, so that any split of a conversation gives the same`, () => {
      fc.assert(
        fc.property(conversation, fc.nat(8), ([head, items], cut) => {
          const whole = walk(dialect, head, items);
          let state = walk(dialect, head, items.slice(0, cut)).state;
          const tail = items.slice(cut).map((item) => {
            const step = dialect.step(state, item);
            state = step.state;
            return step;
          });
          assert.deepEqual(
            segmentsOf(...tail),
            segmentsOf(...whole.steps.slice(Math.min(cut, items.length) + 1)),
          );
        }),
        { numRuns: 50 },
      );
    });

    it(`${name}: what follows is the same whether the model wrote an item or a client sent it`, () => {
      fc.assert(
        fc.property(
          conversation,
          modelOutput,
          fc.array(anyItem, { maxLength: 4 }),
          ([head, items], output, next) => {
            const before = dialect.step(walk(dialect, head, items).state, message("user", "go")).state;
            let written = dialect.prompt(before, free).state;
            let sent = before;
            for (const item of output) {
              written = dialect.written(written, item);
              sent = dialect.step(sent, item).state;
            }
            if (output.length === 0) return;
            for (const item of next) {
              const [one, other] = [dialect.step(written, item), dialect.step(sent, item)];
              assert.deepEqual(segmentsOf(one), segmentsOf(other));
              [written, sent] = [one.state, other.state];
            }
            assert.deepEqual(dialect.prompt(written, free), dialect.prompt(sent, free));
          },
        ),
      );
    });

    it(`${name}: what the model is made to write is what a client's items would render`, () => {
      fc.assert(
        fc.property(modelOutput, (output) => {
          const before = dialect.step(dialect.head(tooled).state, message("user", "go")).state;
          const prompt = dialect.prompt(before, free);
          const forced = textOf([...segmentsOf(prompt), ...dialect.writing(prompt.state, output)]);
          let state = before;
          const steps = output.map((item) => {
            const step = dialect.step(state, item);
            state = step.state;
            return step;
          });
          assert.equal(
            forced,
            output.length === 0 ? "<|im_start|>assistant\n" : textOf(segmentsOf(...steps)),
          );
        }),
      );
    });
  }

  it("names by its fingerprint what the text depends on", () => {
    const one = { structural: smollmStructure, defaultSystem: "a", thinking: null, ...opened };
    assert.equal(
      createChatmlDialect(one).fingerprint,
      createChatmlDialect({ ...one, structural: smollmStructure.toReversed() }).fingerprint,
    );
    assert.notEqual(
      createChatmlDialect(one).fingerprint,
      createChatmlDialect({ ...one, defaultSystem: "b" }).fingerprint,
    );
    assert.notEqual(
      createChatmlDialect(one).fingerprint,
      createChatmlDialect({ ...one, structural: qwenStructure }).fingerprint,
    );
  });

  it("opens a forced call in the prompt and leaves its opening out of what is written", () => {
    const before = qwen.step(qwen.head(tooled).state, message("user", "go")).state;
    const prompt = qwen.prompt(before, { forcedCall: tooled.tools });
    assert.equal(textOf(prompt.glue), "<|im_start|>assistant\n<tool_call>\n");
    assert.equal(
      textOf(qwen.writing(prompt.state, [call("{}")])),
      '{"name": "run", "arguments": {}}\n</tool_call>',
    );
  });
});
