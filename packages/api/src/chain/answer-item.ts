import type { Item } from "@slipstream-stack/protocol";

/** Whether an item is part of an answer: an assistant message or a call. */
export function isAnswerItem(item: Item): boolean {
  if (item.type === "message") return (item as { role?: unknown }).role === "assistant";
  return item.type.endsWith("_call");
}
