import {
  type CompactionItem,
  contentText,
  type Item,
  isKnownItem,
  type MessageItem,
} from "@slipstream-stack/protocol";
import type { Sealer } from "./sealer.ts";

/** How much of the user's own words a compacted window keeps; `maxBytes` in UTF-8. */
export interface CompactLimits {
  readonly maxMessages: number;
  readonly maxBytes: number;
}

/** About 4,000 tokens: a quarter of a small model's context. */
const defaultLimits: CompactLimits = { maxMessages: 20, maxBytes: 16 * 1024 };

const cutMarker = "\n[…]\n";

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

function messagesOf(items: readonly Item[]): MessageItem[] {
  return items.filter((item): item is MessageItem => isKnownItem(item) && item.type === "message");
}

/** Developer and system messages that stand before all else: instructions, which no summary may replace. */
function leadingInstructions(items: readonly Item[]): Item[] {
  const isInstruction = (item: Item) =>
    isKnownItem(item) && item.type === "message" && (item.role === "developer" || item.role === "system");
  const end = items.findIndex((item) => !isInstruction(item));
  return items.slice(0, end === -1 ? items.length : end);
}

/** Whether a byte of UTF-8 goes on with the character that the one before it belongs to. */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** The beginning of a text, at most `maxBytes` of UTF-8; no character is cut in two. */
function beginningOf(text: string, maxBytes: number): string {
  const bytes = new TextEncoder().encode(text);
  let end = Math.min(maxBytes, bytes.length);
  while (isContinuation(bytes[end])) end -= 1;
  return new TextDecoder().decode(bytes.subarray(0, end));
}

/** The end of a text, at most `maxBytes` of UTF-8; no character is cut in two. */
function endOf(text: string, maxBytes: number): string {
  const bytes = new TextEncoder().encode(text);
  let start = Math.max(0, bytes.length - maxBytes);
  while (isContinuation(bytes[start])) start += 1;
  return new TextDecoder().decode(bytes.subarray(start));
}

/** A message too long to keep whole: its beginning and its end. */
function shortened(message: MessageItem, maxBytes: number): MessageItem {
  const text = contentText(message.content);
  const half = Math.max(0, Math.floor((maxBytes - byteLength(cutMarker)) / 2));
  const kept = beginningOf(text, half) + cutMarker + endOf(text, half);
  return { ...message, content: [{ type: "input_text", text: kept }] };
}

/** The last user messages within the limits, oldest first. Only the very last one may be shortened to fit. */
function lastUserMessages(items: readonly Item[], limits: CompactLimits): MessageItem[] {
  const kept: MessageItem[] = [];
  let left = limits.maxBytes;
  const users = messagesOf(items).filter((message) => message.role === "user");
  for (const message of users.reverse().slice(0, limits.maxMessages)) {
    const size = byteLength(contentText(message.content));
    if (size > left && kept.length > 0) break;
    kept.push(size > left ? shortened(message, left) : message);
    left -= size;
  }
  return kept.reverse();
}

/**
 * The window that stands for a longer one: leading instructions, the last user messages, and one compaction
 * item with the summary, sealed. Earlier compaction items go: the summary was written with them in sight.
 * @param id the compaction item's id, `cmp_…`.
 */
export function compactWindow(
  items: readonly Item[],
  summaryText: string,
  sealer: Sealer,
  id: string,
  limits: CompactLimits = defaultLimits,
): Item[] {
  const compaction: CompactionItem = {
    id,
    type: "compaction",
    encrypted_content: sealer.seal(summaryText),
  };
  return [...leadingInstructions(items), ...lastUserMessages(items, limits), compaction];
}
