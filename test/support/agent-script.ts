import type { Item } from "@slipstream-stack/protocol";
import type { ForcedLine } from "./serve.ts";

/** The tool of the sessions below. */
export const lookUpTool = {
  type: "function",
  name: "look_up",
  description: "Looks a word up.",
  parameters: {
    type: "object",
    properties: { word: { type: "string" }, page: { type: "integer" } },
    required: ["word", "page"],
    additionalProperties: false,
  },
  strict: true,
} as const;

export const userItem = (content: string): Item => ({ type: "message", role: "user", content }) as Item;

/** One call a lap, each with an id of its own, and a last line of text. */
export function callTrajectory(laps: number): ForcedLine[] {
  const calls = Array.from({ length: laps }, (_, lap) => ({
    output: [
      {
        type: "function_call",
        call_id: `call_${lap}`,
        name: lookUpTool.name,
        arguments: `{"word": "entry ${lap}", "page": ${lap * 7}}`,
      },
    ],
  }));
  const content = [{ type: "output_text", text: "All words are known." }];
  return [...calls, { output: [{ type: "message", role: "assistant", content }] }];
}

/** What an agent says after an answer: the outputs of its calls, or the next question. */
export function nextItems(output: readonly Item[], lap: number): Item[] {
  const calls = output.filter((item) => item.type === "function_call");
  if (calls.length === 0) return [userItem(`Question ${lap}: what does the next entry say?`)];
  return calls.map((call) => {
    const text = `entry ${lap}: a word with ${lap} meanings, found on page ${lap * 7}`;
    return { type: "function_call_output", call_id: call.call_id, output: text } as Item;
  });
}
