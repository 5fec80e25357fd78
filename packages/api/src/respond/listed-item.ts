import { type Item, isKnownItem } from "@slipstream-stack/protocol";

/**
 * An item as lists and compacted windows show it: a message given as one string has its content as one part,
 * since clients read the parts of what they are given.
 */
export function listedItem(item: Item): Item {
  if (!isKnownItem(item) || item.type !== "message" || typeof item.content !== "string") return item;
  const part =
    item.role === "assistant"
      ? { type: "output_text", text: item.content, annotations: [] }
      : { type: "input_text", text: item.content };
  return { ...item, content: [part] };
}
