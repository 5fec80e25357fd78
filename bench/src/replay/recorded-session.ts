import { contentText, type Item, isKnownItem } from "@slipstream-stack/protocol";

/** One lap of a recording: what went to the model since the last one, and what it answered. */
export interface RecordedLap {
  readonly input: readonly Item[];
  readonly output: readonly Item[];
}

/** A recorded conversation as Responses items. */
export interface RecordedSession {
  readonly name: string;
  readonly laps: readonly RecordedLap[];
}

/** A message of a role with one text. */
export function textMessage(role: "user" | "assistant", text: string): Item {
  const type = role === "user" ? "input_text" : "output_text";
  return { type: "message", role, content: [{ type, text }] };
}

/** All text that a model would read in an item. */
export function textOf(item: Item): string {
  if (!isKnownItem(item)) return "";
  switch (item.type) {
    case "message":
      return contentText(item.content);
    case "function_call_output":
      return contentText(item.output);
    case "function_call":
      return `${item.name} ${item.arguments}`;
    default:
      return "";
  }
}
