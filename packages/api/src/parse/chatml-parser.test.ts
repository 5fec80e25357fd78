import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { contentText, type Item } from "@slipstream-stack/protocol";
import fc from "fast-check";
import { createChatmlDialect } from "../render/chatml/chatml-dialect.ts";
import { flattenTools } from "../render/flatten-tools.ts";
import {
  anyText,
  message,
  messageText,
  modelOutput,
  qwenStructure,
  someTools,
  thought,
} from "../render/testing/arbitrary-items.ts";
import { ToolScope } from "../render/tool-scope.ts";
import { ChatmlParser, type ChatmlParserOptions } from "./chatml-parser.ts";
import type { ParsedEvent, ParsedItem } from "./parsed-event.ts";

const scope = ToolScope.empty.with(flattenTools(someTools));
const marks = { open: "<think>", close: "</think>" };
const plain: ChatmlParserOptions = { scope, thinking: null, begin: "text" };
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function parse(bytes: Uint8Array, options = plain, cuts: readonly number[] = []): ParsedEvent[] {
  const parser = new ChatmlParser(options);
  const at = [
    0,
    ...cuts.filter((cut) => cut < bytes.length).sort((left, right) => left - right),
    bytes.length,
  ];
  const events = at.slice(1).flatMap((end, index) => parser.push(bytes.subarray(at[index], end)));
  return [...events, ...parser.finish()];
}

/** Events with the deltas of each item joined. */
function merged(events: readonly ParsedEvent[]): ParsedEvent[] {
  const joined: ParsedEvent[] = [];
  for (const event of events) {
    const last = joined.at(-1);
    if (event.type === "delta" && last?.type === "delta")
      joined[joined.length - 1] = { ...event, text: last.text + event.text };
    else joined.push(event);
  }
  return joined;
}

const ends = (events: readonly ParsedEvent[]) =>
  events.flatMap((event) => (event.type === "item-end" ? [event] : []));

/** An item in short: its kind, its name, its text, and a mark where it is incomplete. */
function brief(item: ParsedItem): string {
  const mark = item.status === "incomplete" ? "…" : "";
  if (item.type === "message") return `text:${contentText(item.content)}${mark}`;
  if (item.type === "reasoning") return `thought:${item.content[0].text}${mark}`;
  if (item.type === "custom_tool_call") return `${item.name}:${item.input}${mark}`;
  if (item.type === "tool_search_call") return `search:${JSON.stringify(item.arguments)}${mark}`;
  return `${item.namespace === undefined ? "" : `${item.namespace}/`}${item.name}:${item.arguments}${mark}`;
}

const read = (text: string, options = plain): string[] =>
  ends(parse(bytesOf(text), options)).map((event) => brief(event.item));
const written = (name: string, args: string): string =>
  `<tool_call>\n{"name": "${name}", "arguments": ${args}}\n</tool_call>`;

describe("chatml parser: well-formed output", () => {
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    ["nothing", "", []],
    ["text", "Hello  world\n", ["text:Hello  world\n"]],
    ["text with tag-like pieces", "a < b <tool> <tool_cal", ["text:a < b <tool> <tool_cal"]],
    ["a call", written("run", '{"command": "ls"}'), ['run:{"command": "ls"}']],
    ["a namespaced call", written("mcp__echo__say", "{}"), ["mcp__echo/say:{}"]],
    [
      "a custom call",
      written("patch", '{"input": "a\\n\\"b\\" \\u00e9 \\ud83d\\ude42 é"}'),
      ['patch:a\n"b" é 🙂 é'],
    ],
    ["a tool search", written("tool_search", '{"query":"x"}'), ['search:{"query":"x"}']],
    ["text, then a call", `Look.\n${written("run", "{}")}`, ["text:Look.", "run:{}"]],
    ["two calls", `${written("run", "{}")}\n${written("run", '{"a":1}')}`, ["run:{}", 'run:{"a":1}']],
    ["text after a call", `${written("run", "{}")}\nDone.`, ["run:{}", "text:Done."]],
    [
      "white space around calls",
      ` \n\n${written("run", "{}")}\n \n${written("run", "{}")}\n\n`,
      ["run:{}", "run:{}"],
    ],
    [
      "only one line feed is separator",
      `A\n\n${written("run", "{}")}\n\nB`,
      ["text:A\n", "run:{}", "text:\nB"],
    ],
    [
      "brackets and tags in strings",
      written("run", '{"a":"}]\\"</tool_call>{"}'),
      ['run:{"a":"}]\\"</tool_call>{"}'],
    ],
  ];
  for (const [name, text, expected] of cases)
    it(`reads ${name}`, () => assert.deepEqual(read(text), expected));
});

describe("chatml parser: what models get wrong", () => {
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    ["white space alone is a message", " \n", ["text: \n"]],
    ["an unknown tool is text", written("nope", "{}"), [`text:${written("nope", "{}")}`]],
    ["a tag in talk is text", "Use <tool_call> for calls.", ["text:Use <tool_call> for calls."]],
    [
      "a call in a broken call",
      `<tool_call>{<tool_call>\n{"name": "run", "arguments": {}}\n</tool_call>`,
      ["text:<tool_call>{", "run:{}"],
    ],
    [
      "a name that never closes is text",
      'So <tool_call>\n{"name": "ru',
      ['text:So <tool_call>\n{"name": "ru'],
    ],
    [
      "no JSON is text",
      "<tool_call>\n{nonsense}\n</tool_call> ok",
      ["text:<tool_call>\n{nonsense}\n</tool_call> ok"],
    ],
    ["arguments first", '<tool_call>{"arguments": {"a": 1}, "name": "run"}</tool_call>', ['run:{"a":1}']],
    [
      "custom, input first",
      '<tool_call>{"arguments": {"input": "x"}, "name": "patch"}</tool_call>',
      ["patch:x"],
    ],
    [
      "arguments as a string",
      '<tool_call>{"name": "run", "arguments": "{\\"a\\":1}"}</tool_call>',
      ['run:{"a":1}'],
    ],
    ["no arguments", '<tool_call>{"name": "run"}</tool_call>', ["run:{}"]],
    ["no closing bracket", '<tool_call>{"name": "run", "arguments": {}\n</tool_call>.', ["run:{}", "text:."]],
    ["no closing tag", '<tool_call>{"name": "run", "arguments": {}} ok', ["run:{}", "text: ok"]],
    ["half a closing tag", '<tool_call>{"name": "run", "arguments": {}}\n</tool', ["run:{}"]],
    ["the end in the arguments", '<tool_call>{"name": "run", "arguments": {"a": "b', ['run:{"a": "b…']],
    ["the end in an input", '<tool_call>{"name": "patch", "arguments": {"input": "b\\', ["patch:b\\…"]],
    ["the end behind the name", '<tool_call>{"name": "run", ', ["run:…"]],
    [
      "arguments closed too early by the tag",
      '<tool_call>{"name": "run", "arguments": {"a": [1}</tool_call>',
      ['run:{"a": [1}'],
    ],
    ["garbage behind the name", '<tool_call>{"name": "run" oops}</tool_call>', ["run: oops}…"]],
    [
      "other keys in a custom call",
      '<tool_call>{"name": "patch", "arguments": {"text": "x"}}</tool_call>',
      ['patch:{"text": "x"}'],
    ],
    ["line feeds in a string", written("patch", '{"input": "a\nb"}'), ["patch:a\nb"]],
  ];
  for (const [name, text, expected] of cases) it(name, () => assert.deepEqual(read(text), expected));

  it("takes any call for text where no tool may be called", () => {
    assert.deepEqual(read(written("run", "{}"), { ...plain, scope: ToolScope.empty }), [
      `text:${written("run", "{}")}`,
    ]);
  });
});

describe("chatml parser: forced calls and thoughts", () => {
  it("begins inside the call that the prompt opened", () => {
    const forced = { ...plain, begin: "call" as const };
    const events = parse(bytesOf('{"name": "run", "arguments": {}}\n</tool_call>\nOk'), forced);
    assert.deepEqual(
      ends(events).map((event) => [brief(event.item), event.endByte]),
      [
        ["run:{}", 45],
        ["text:Ok", 48],
      ],
    );
    assert.deepEqual(read("Sorry, no.", forced), ["text:Sorry, no."]);
  });

  const thinking = { ...plain, thinking: marks };
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    ["a thought, then text", "<think>\nhm\nm\n</think>\n\nHi", ["thought:hm\nm", "text:Hi"]],
    ["a thought, then a call", `\n<think>x</think>${written("run", "{}")}`, ["thought:x", "run:{}"]],
    ["an empty thought", "<think>\n\n</think>\n\nHi", ["text:Hi"]],
    ["an unfinished thought", "<think>\nhm", ["thought:hm…"]],
    ["no thought", "<thin air", ["text:<thin air"]],
    ["a tag later on is text", "Hi <think>", ["text:Hi <think>"]],
  ];
  for (const [name, text, expected] of cases)
    it(`reads ${name}`, () => assert.deepEqual(read(text, thinking), expected));

  it("begins inside the thought that the prompt opened", () => {
    assert.deepEqual(read("hm\n</think>\n\nHi", { ...thinking, begin: "thought" }), [
      "thought:hm",
      "text:Hi",
    ]);
  });
});

describe("chatml parser: streaming", () => {
  const feed = (parser: ChatmlParser, text: string): ParsedEvent[] => parser.push(bytesOf(text));

  it("hands text on at once, but for what may begin a call", () => {
    const parser = new ChatmlParser(plain);
    assert.deepEqual(feed(parser, "Hello"), [
      { type: "item-start", index: 0, start: { kind: "message" } },
      { type: "delta", index: 0, text: "Hello" },
    ]);
    assert.deepEqual(feed(parser, "\n<tool_"), []);
    assert.deepEqual(feed(parser, "box"), [{ type: "delta", index: 0, text: "\n<tool_box" }]);
  });

  it("holds nothing back where no tool may be called", () => {
    const parser = new ChatmlParser({ ...plain, scope: ToolScope.empty });
    const texts = ["Hi\n<tool_call>", '\n{"name": "run"'].flatMap((text) => feed(parser, text));
    assert.deepEqual(
      texts.flatMap((event) => (event.type === "delta" ? [event.text] : [])),
      ["Hi\n<tool_call>", '\n{"name": "run"'],
    );
  });

  it("starts a call when its name closes, and streams the arguments as they come", () => {
    const parser = new ChatmlParser(plain);
    assert.deepEqual(feed(parser, '<tool_call>\n{"name": "run'), []);
    const start = { kind: "call", tool: scope.byRenderedName("run")! } as const;
    assert.deepEqual(feed(parser, '"'), [{ type: "item-start", index: 0, start }]);
    assert.deepEqual(feed(parser, ', "arguments": {"a"'), [{ type: "delta", index: 0, text: '{"a"' }]);
    assert.deepEqual(feed(parser, ": 1}}\n</tool_call"), [{ type: "delta", index: 0, text: ": 1}" }]);
    const [end] = feed(parser, ">");
    assert.equal(end?.type === "item-end" && brief(end.item), 'run:{"a": 1}');
  });

  it("streams a custom tool's input unescaped, never half an escape or half a character", () => {
    const parser = new ChatmlParser(plain);
    feed(parser, '<tool_call>\n{"name": "patch", "arguments": {"input": "');
    const texts = (piece: Uint8Array): string[] =>
      parser.push(piece).flatMap((event) => (event.type === "delta" ? [event.text] : []));
    assert.deepEqual(texts(bytesOf("a\\")), ["a"]);
    assert.deepEqual(texts(bytesOf("n\\ud83d")), ["\n"]);
    assert.deepEqual(texts(bytesOf("\\ude42")), ["🙂"]);
    const smile = bytesOf("é");
    assert.deepEqual(texts(smile.subarray(0, 1)), []);
    assert.deepEqual(texts(smile.subarray(1)), ["é"]);
    assert.deepEqual(texts(bytesOf('"}}')), []);
  });

  it("finds the end of a call in an unusual form wherever the stretches end", () => {
    const parser = new ChatmlParser(plain);
    const text = '<tool_call>{"arguments": {"a": 1}, "name": "run"}</tool_call>';
    const before = Array.from(text.slice(0, -1)).flatMap((character) => feed(parser, character));
    assert.deepEqual(before, []);
    assert.deepEqual(
      feed(parser, ">").map((event) => event.type),
      ["item-start", "delta", "item-end"],
    );
  });

  it("says where each item ends in bytes, separators counted to the next", () => {
    const first = "Grüße 🙂";
    const second = written("run", '{"a": "ü"}');
    const events = ends(parse(bytesOf(`${first}\n${second}\n${written("run", "{}")}`)));
    const lengths = [bytesOf(first).length, 1 + bytesOf(second).length, 1 + written("run", "{}").length];
    assert.deepEqual(
      events.map((event) => event.endByte),
      [lengths[0]!, lengths[0]! + lengths[1]!, lengths[0]! + lengths[1]! + lengths[2]!],
    );
  });
});

describe("chatml parser: laws", () => {
  const pieces = fc.oneof(
    anyText,
    fc.constantFrom(
      "<tool_call>",
      "</tool_call>",
      "\n",
      '{"name": "run"',
      ', "arguments": ',
      '{"a": [1, "',
      '"]}',
      "}",
      '{"input": "',
      "\\ud83d",
      "\\",
      "<think>",
      "</think>",
      written("run", "{}"),
      written("patch", '{"input":"\\u00e9"}'),
    ),
  );
  const outputs = fc.oneof(
    fc.array(pieces, { maxLength: 12 }).map((parts) => bytesOf(parts.join(""))),
    fc.uint8Array({ maxLength: 40 }),
  );
  const options = fc.record({
    scope: fc.constantFrom(scope, ToolScope.empty),
    thinking: fc.constantFrom(marks, null),
    begin: fc.constantFrom("text" as const, "call" as const),
  });

  it("reads the same whatever the split of the bytes", () => {
    fc.assert(
      fc.property(outputs, options, fc.array(fc.nat(120), { maxLength: 20 }), (bytes, how, cuts) => {
        const whole = merged(parse(bytes, how));
        assert.deepEqual(merged(parse(bytes, how, cuts)), whole);
        assert.deepEqual(merged(parse(bytes, how, Array.from(bytes.keys()))), whole);
      }),
      { numRuns: 400 },
    );
  });

  it("starts, fills and ends items one after the other, ends growing up to the output's end", () => {
    fc.assert(
      fc.property(outputs, options, (bytes, how) => {
        let index = 0;
        let text: string | null = null;
        let byte = 0;
        for (const event of parse(bytes, how)) {
          assert.equal(event.index, index);
          if (event.type === "item-start") {
            assert.equal(text, null);
            text = "";
          } else if (event.type === "delta") {
            text += event.text;
          } else {
            if (event.item.type !== "tool_search_call")
              assert.ok(brief(event.item).replace(/…$/, "").endsWith(`:${text}`));
            assert.ok(event.endByte > byte && event.endByte <= bytes.length);
            byte = event.endByte;
            index += 1;
            text = null;
          }
        }
        assert.equal(text, null);
        assert.match(new TextDecoder().decode(bytes.subarray(byte)), /^\s*(?:<think>\s*)?(?:<\/think>\s*)?$/);
      }),
      { numRuns: 400 },
    );
  });

  it("gives back what a dialect writes, forced and unforced, with thoughts and without", () => {
    const dialect = createChatmlDialect({
      structural: qwenStructure,
      defaultSystem: null,
      thinking: marks,
      openCompaction: () => null,
    });
    const tools = flattenTools(someTools);
    const withThought = fc.tuple(
      fc.option(messageText.filter((text) => !text.includes("</think>"))),
      modelOutput,
    );
    const asItem = (item: ParsedItem): unknown => ({ ...item, call_id: "c" });
    const strip = (item: Item): string =>
      JSON.stringify(item, (key, value) =>
        ["status", "annotations", "id", "call_id"].includes(key) ? undefined : value,
      );
    fc.assert(
      fc.property(withThought, fc.boolean(), ([pondering, output], forced) => {
        const force = forced && output[0] !== undefined && output[0].type !== "message";
        const items = force || pondering === null ? output : [thought(pondering), ...output];
        const settings = { forcedCall: force ? tools : null };
        const start = dialect.step(
          dialect.head({ instructions: null, tools }).state,
          message("user", "go"),
        ).state;
        const text = dialect
          .writing(dialect.prompt(start, settings).state, items)
          .map((segment) => segment.text);
        const parser = dialect.parser(tools, settings);
        const events = [...parser.push(bytesOf(text.join(""))), ...parser.finish()];
        const found = ends(events).map((event) => asItem(event.item) as Item);
        const expected = items.map((item) => dialectForm(item));
        assert.deepEqual(
          found.map((item) => strip(dialectForm(item))),
          expected.map(strip),
        );
      }),
      { numRuns: 300 },
    );
  });
});

/** An item with arguments and content in one form. */
function dialectForm(item: Item): Item {
  const raw = { ...item } as Record<string, unknown>;
  if (typeof raw["arguments"] === "string") raw["arguments"] = sorted(JSON.parse(raw["arguments"]));
  if (item.type === "tool_search_call") raw["arguments"] = sorted(raw["arguments"]);
  if (raw["type"] === "message") raw["content"] = contentText(raw["content"] as never);
  return Object.fromEntries(
    Object.entries(raw)
      .filter(([, value]) => value !== undefined)
      .sort(),
  ) as unknown as Item;
}

function sorted(value: unknown): unknown {
  return Object.entries(value as object).sort();
}
