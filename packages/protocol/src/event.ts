import type { WireErrorBody } from "./errors.ts";
import type { ContentPart } from "./item/content.ts";
import type { Item } from "./item/item.ts";
import type { ResponseObject } from "./response.ts";

interface InItem {
  item_id: string;
  output_index: number;
}
interface InPart extends InItem {
  content_index: number;
}

/** An event of a response before it is numbered (sections 7.1 and 7.2 of the wire specification). */
export type EventBody =
  | {
      type:
        | "response.created"
        | "response.in_progress"
        | "response.completed"
        | "response.incomplete"
        | "response.failed";
      response: ResponseObject;
    }
  | { type: "response.output_item.added" | "response.output_item.done"; output_index: number; item: Item }
  | ({ type: "response.content_part.added" | "response.content_part.done"; part: ContentPart } & InPart)
  | ({ type: "response.output_text.delta"; delta: string; logprobs: unknown[] } & InPart)
  | ({ type: "response.output_text.done"; text: string; logprobs: unknown[] } & InPart)
  | ({ type: "response.reasoning_text.delta"; delta: string } & InPart)
  | ({ type: "response.reasoning_text.done"; text: string } & InPart)
  | ({ type: "response.function_call_arguments.delta"; delta: string } & InItem)
  | ({ type: "response.function_call_arguments.done"; arguments: string; name?: string } & InItem)
  | ({ type: "response.custom_tool_call_input.delta"; delta: string } & InItem)
  | ({ type: "response.custom_tool_call_input.done"; input: string } & InItem);

/** An event as it travels: numbered from 0 without gaps, and named by its lane on a multiplexed socket. */
export type StreamEvent = EventBody & { sequence_number: number; stream_id?: string };

/** The WebSocket error envelope (section 9.6). It ends the request it answers, not the connection. */
export interface WebSocketErrorEvent {
  type: "error";
  status: number;
  error: WireErrorBody & { headers?: Record<string, string> };
  stream_id?: string;
  sequence_number?: number;
}

/** Event types after which nothing more of a response comes. */
export const terminalEventTypes: ReadonlySet<string> = new Set([
  "response.completed",
  "response.incomplete",
  "response.failed",
]);
