import type { JsonObject } from "@slipstream-stack/protocol";
import { ApiError } from "../../errors.ts";
import type { TemplateMessage, TemplateRenderer } from "./template-renderer.ts";

/** What a template can show, found out by trying. */
export interface TemplateAbilities {
  /** Where system messages may stand. */
  readonly system: "anywhere" | "first" | "none";
  /** Whether it shows tools, calls and results in the Hermes way, which the parser reads. */
  readonly hermesTools: boolean;
  /** Whether user and assistant must take turns, a user first. */
  readonly alternates: boolean;
  /** Whether its generation prompt has already opened a thought. */
  readonly opensThought: boolean;
  /** Whether it knows thinking marks at all. */
  readonly thinks: boolean;
}

const user = (content: string): TemplateMessage => ({ role: "user", content });
const assistant = (content: string): TemplateMessage => ({ role: "assistant", content });
const system = (content: string): TemplateMessage => ({ role: "system", content });

const probeTool: JsonObject = {
  type: "function",
  function: {
    name: "probe_tool",
    description: "Probes.",
    parameters: { type: "object", properties: { where: { type: "string" } }, required: ["where"] },
  },
};

/** A call of the probe tool and its result, within a conversation. */
const probeCallMessages: readonly TemplateMessage[] = [
  user("first question"),
  {
    role: "assistant",
    content: "",
    tool_calls: [{ type: "function", function: { name: "probe_tool", arguments: { where: "here" } } }],
  },
  { role: "tool", content: "probe result" },
];

/** @throws ApiError dialect_broken where not even a single user message is shown. */
export function probeTemplate(renderer: TemplateRenderer): TemplateAbilities {
  const shows = (messages: readonly TemplateMessage[], tools: readonly JsonObject[] = []): string | null => {
    const text = renderer.tryRender({ messages, tools, generationPrompt: true });
    return text !== null && inOrder(text, messages) ? text : null;
  };
  const messages = [user("first question")];
  const single = renderer.render({ messages, tools: [], generationPrompt: true });
  if (!inOrder(single, messages)) {
    throw new ApiError("dialect_broken", "The model's chat template does not show a user's message.");
  }
  const middle = [
    system("rules one"),
    user("question"),
    assistant("answer"),
    system("rules two"),
    user("more"),
  ];
  const first = shows([system("rules one"), user("first question")]) === null ? "none" : "first";
  const withTools = shows(probeCallMessages, [probeTool]) ?? "";
  return {
    system: shows(middle) === null ? first : "anywhere",
    hermesTools:
      withTools.includes(
        '<tool_call>\n{"name": "probe_tool", "arguments": {"where": "here"}}\n</tool_call>',
      ) && withTools.includes("<tools>"),
    alternates:
      shows([user("question one"), user("question two"), assistant("answer"), assistant("more")]) === null,
    opensThought: /<think>\s*$/.test(single),
    thinks: mentionsThinking(renderer),
  };
}

function mentionsThinking(renderer: TemplateRenderer): boolean {
  const thought: TemplateMessage = { role: "assistant", content: "answer", reasoning_content: "pondering" };
  const messages = [user("question"), thought];
  const text = renderer.tryRender({ messages, tools: [], generationPrompt: false });
  const prompt = renderer.tryRender({ messages: [user("question")], tools: [], generationPrompt: true });
  return /<think>/.test(`${text ?? ""}${prompt ?? ""}`);
}

function inOrder(text: string, messages: readonly TemplateMessage[]): boolean {
  let from = 0;
  for (const { content } of messages) {
    const at = text.indexOf(content, from);
    if (at === -1) return false;
    from = at + content.length;
  }
  return true;
}
