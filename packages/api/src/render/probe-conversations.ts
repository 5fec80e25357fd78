import type { Item, Tool } from "@slipstream-stack/protocol";

/** A conversation for holding one rendering against another. Every text in it is unlike every other. */
export interface ProbeConversation {
  readonly instructions: string | null;
  readonly tools: readonly Tool[];
  readonly items: readonly Item[];
}

const user = (content: string): Item => ({ type: "message", role: "user", content });
const assistant = (content: string): Item => ({ type: "message", role: "assistant", content });
const developer = (content: string): Item => ({ type: "message", role: "developer", content });
const call = (id: string, path: string): Item => ({
  type: "function_call",
  call_id: id,
  name: "read_file",
  arguments: JSON.stringify({ path }),
});
const result = (id: string, output: string): Item => ({ type: "function_call_output", call_id: id, output });
const thought = (text: string): Item => ({
  type: "reasoning",
  summary: [],
  content: [{ type: "reasoning_text", text }],
});

const readFile: Tool = {
  type: "function",
  name: "read_file",
  description: "Reads a file.",
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
};

/** Talk without tools: what every template shows. */
export const plainTalk: ProbeConversation = {
  instructions: null,
  tools: [],
  items: [user("alpha?"), assistant("beta."), user("gamma?"), assistant("delta."), user("epsilon?")],
};

/** Talk under instructions. */
export const instructedTalk: ProbeConversation = { ...plainTalk, instructions: "Keep it short." };

/** Rules that change in mid-conversation. */
export const changedRules: ProbeConversation = {
  instructions: "Keep it short.",
  tools: [],
  items: [user("alpha?"), assistant("beta."), developer("Now be verbose."), user("gamma?")],
};

/** Calls in a row, results in a row, text before and after. */
export const toolTalk: ProbeConversation = {
  instructions: "Keep it short.",
  tools: [readFile],
  items: [
    user("alpha?"),
    assistant("Looking."),
    call("1", "one.txt"),
    call("2", "two.txt"),
    result("1", "first content"),
    result("2", "second content"),
    call("3", "three.txt"),
    result("3", "third content"),
    assistant("delta."),
    user("epsilon?"),
  ],
};

/** Thoughts before answers and calls, over two turns of the user. */
export const thoughtfulTalk: ProbeConversation = {
  instructions: "Keep it short.",
  tools: [readFile],
  items: [
    user("alpha?"),
    thought("pondering one"),
    call("1", "one.txt"),
    result("1", "first content"),
    thought("pondering two"),
    assistant("beta."),
    user("gamma?"),
    assistant("delta."),
  ],
};
