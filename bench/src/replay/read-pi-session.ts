import { type Item, isJsonObject, type JsonObject, tryParseJson } from "@slipstream-stack/protocol";
import { type RecordedLap, type RecordedSession, textMessage } from "./recorded-session.ts";

/** Reads a session file of the pi agent (JSON lines). Thinking is left out: it was another provider's, sealed. */
export function readPiSession(name: string, text: string): RecordedSession {
  const laps: RecordedLap[] = [];
  let input: Item[] = [];
  for (const line of text.split("\n")) {
    const entry = tryParseJson(line);
    if (!isJsonObject(entry) || entry.type !== "message" || !isJsonObject(entry.message)) continue;
    const items = itemsOf(entry.message);
    if (entry.message.role !== "assistant") {
      input.push(...items);
    } else if (items.length > 0) {
      laps.push({ input, output: items });
      input = [];
    }
  }
  return { name, laps };
}

function itemsOf(message: JsonObject): Item[] {
  const parts = Array.isArray(message.content) ? message.content.filter(isJsonObject) : [];
  if (message.role === "toolResult") {
    const output = parts.map((part) => String(part.text ?? "")).join("");
    return [{ type: "function_call_output", call_id: String(message.toolCallId), output }];
  }
  const role = message.role === "assistant" ? "assistant" : "user";
  return parts.flatMap((part): Item[] => {
    if (part.type === "text") return [textMessage(role, String(part.text))];
    if (part.type !== "toolCall") return [];
    const call = { call_id: String(part.id), name: String(part.name) };
    return [{ type: "function_call", ...call, arguments: JSON.stringify(part.arguments ?? {}) }];
  });
}
