import { canonicalJson } from "../canonical-json.ts";
import { type JsonValue, tryParseJson } from "../json.ts";
import { contentText } from "./content.ts";
import { type Item, isKnownItem } from "./item.ts";
import { isLosslessJson } from "./lossless-json.ts";

const neverRendered = new Set([
  "id",
  "status",
  "created_by",
  "phase",
  "internal_chat_message_metadata_passthrough",
]);

/**
 * Call arguments as they are compared and rendered: canonical JSON where the text is JSON whose value
 * survives a round trip, the raw text where it is not.
 */
export function argumentsIdentity(text: string): string {
  const value = tryParseJson(text);
  return value !== undefined && isLosslessJson(text, value) ? canonicalJson(value) : text;
}

/**
 * The identity of an item: canonical JSON of its parsed, rendered fields. Ids, status and metadata do not
 * take part, nor does key order; contents count by their text; call arguments by their JSON value. Two items
 * with equal identity render the same tokens. Item hashes and lineages are made of it.
 */
export function itemIdentity(item: Item): string {
  if (!isKnownItem(item)) return canonicalJson(renderedFields(item as unknown as Record<string, JsonValue>));
  switch (item.type) {
    case "message":
      return canonicalJson([
        "message",
        item.role === "system" ? "developer" : item.role,
        contentText(item.content),
      ]);
    case "reasoning":
      return canonicalJson([
        "reasoning",
        item.summary.map((part) => part.text),
        (item.content ?? []).map((part) => part.text),
        item.encrypted_content ?? null,
      ]);
    case "function_call":
      return canonicalJson([
        "function_call",
        item.call_id,
        item.namespace ?? null,
        item.name,
        argumentsIdentity(item.arguments),
      ]);
    case "custom_tool_call":
      return canonicalJson(["custom_tool_call", item.call_id, item.namespace ?? null, item.name, item.input]);
    case "function_call_output":
    case "custom_tool_call_output":
      return canonicalJson([item.type, item.call_id, contentText(item.output)]);
    case "compaction":
      return canonicalJson(["compaction", item.encrypted_content]);
    default:
      return canonicalJson(renderedFields(item as unknown as Record<string, JsonValue>));
  }
}

function renderedFields(item: Record<string, JsonValue>): JsonValue {
  return Object.fromEntries(Object.entries(item).filter(([key]) => !neverRendered.has(key)));
}
