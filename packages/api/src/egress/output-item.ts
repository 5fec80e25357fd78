import type { EventBody, Item } from "@slipstream-stack/protocol";
import type { ItemStart, ParsedItem } from "../parse/parsed-event.ts";

/** Makes an identifier with the given prefix. */
export type NewId = (prefix: string) => string;

/** An output item that has been added and not yet done. */
export interface OpenItem {
  readonly index: number;
  readonly id: string;
  readonly kind: "message" | "reasoning" | "function" | "custom" | "tool_search";
  /** Null for items that are no calls. */
  readonly callId: string | null;
}

const prefixes = {
  message: "msg",
  reasoning: "rs",
  function: "fc",
  custom: "ctc",
  tool_search: "tsc",
} as const;

/** Opens an item under a new id. `nextCallId` is asked once for each call. */
export function openItem(index: number, start: ItemStart, newId: NewId, nextCallId: () => string): OpenItem {
  const kind = start.kind === "call" ? start.tool.kind : start.kind;
  return { index, id: newId(prefixes[kind]), kind, callId: start.kind === "call" ? nextCallId() : null };
}

/** The item as `output_item.added` shows it: what is still to come is empty. */
function addedItem({ id, kind, callId }: OpenItem, start: ItemStart): Item {
  const status = "in_progress";
  if (start.kind === "message") return { type: "message", id, role: "assistant", status, content: [] };
  if (start.kind === "reasoning") return { type: "reasoning", id, status, summary: [], content: [] };
  const { name, namespace } = start.tool;
  const call = { id, call_id: callId ?? "", name, ...(namespace === null ? {} : { namespace }), status };
  if (kind === "custom") return { type: "custom_tool_call", ...call, input: "" };
  if (kind === "function") return { type: "function_call", ...call, arguments: "" };
  const search = {
    type: "tool_search_call",
    id,
    call_id: callId,
    execution: "client",
    arguments: {},
    status,
  };
  return search as unknown as Item;
}

function textPart(kind: OpenItem["kind"], text: string) {
  return kind === "message"
    ? { type: "output_text", text, annotations: [], logprobs: [] }
    : { type: "reasoning_text", text };
}

const place = ({ id, index }: OpenItem) => ({ item_id: id, output_index: index });

/** What is sent when an item begins. */
export function startEvents(open: OpenItem, start: ItemStart): EventBody[] {
  const added: EventBody = {
    type: "response.output_item.added",
    output_index: open.index,
    item: addedItem(open, start),
  };
  if (start.kind === "call") return [added];
  const part = textPart(open.kind, "");
  return [added, { type: "response.content_part.added", ...place(open), content_index: 0, part }];
}

/** What is sent when an item goes on. A tool search has nothing between its beginning and its end. */
export function deltaEvents(open: OpenItem, delta: string): EventBody[] {
  const at = place(open);
  switch (open.kind) {
    case "message":
      return [{ type: "response.output_text.delta", ...at, content_index: 0, delta, logprobs: [] }];
    case "reasoning":
      return [{ type: "response.reasoning_text.delta", ...at, content_index: 0, delta }];
    case "function":
      return [{ type: "response.function_call_arguments.delta", ...at, delta }];
    case "custom":
      return [{ type: "response.custom_tool_call_input.delta", ...at, delta }];
    case "tool_search":
      return [];
  }
}

/** The finished item with its ids, as it stands in `output`. A `call_id` it brought itself stays. */
export function finishedItem(open: OpenItem, parsed: ParsedItem, status: ParsedItem["status"]): Item {
  const ids = open.callId === null ? { id: open.id } : { id: open.id, call_id: open.callId };
  if (parsed.type !== "message" || typeof parsed.content === "string")
    return { ...ids, ...parsed, status } as Item;
  const content = parsed.content.map((part) =>
    part.type === "output_text" ? { annotations: [], ...part, logprobs: [] } : part,
  );
  return { ...ids, ...parsed, content, status } as Item;
}

/** What is sent when an item's text is complete, before `output_item.done`. */
export function endEvents(open: OpenItem, parsed: ParsedItem): EventBody[] {
  const at = place(open);
  switch (parsed.type) {
    case "function_call":
      return [
        {
          type: "response.function_call_arguments.done",
          ...at,
          arguments: parsed.arguments,
          name: parsed.name,
        },
      ];
    case "custom_tool_call":
      return [{ type: "response.custom_tool_call_input.done", ...at, input: parsed.input }];
    case "tool_search_call":
      return [];
    default:
      return textEndEvents(open, textOf(parsed));
  }
}

function textOf(parsed: Extract<ParsedItem, { type: "message" | "reasoning" }>): string {
  if (typeof parsed.content === "string") return parsed.content;
  return parsed.content.map((part) => (typeof part.text === "string" ? part.text : "")).join("");
}

function textEndEvents(open: OpenItem, text: string): EventBody[] {
  const at = { ...place(open), content_index: 0 };
  const part: EventBody = { type: "response.content_part.done", ...at, part: textPart(open.kind, text) };
  return open.kind === "message"
    ? [{ type: "response.output_text.done", ...at, text, logprobs: [] }, part]
    : [{ type: "response.reasoning_text.done", ...at, text }, part];
}
