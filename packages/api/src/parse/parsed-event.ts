import type { JsonObject, MessageItem } from "@slipstream-stack/protocol";
import type { RenderedTool } from "../render/rendered-tool.ts";

/** What a call's output item will be, known as soon as its name has been written. */
export type ItemStart =
  | { readonly kind: "message" }
  | { readonly kind: "reasoning" }
  | { readonly kind: "call"; readonly tool: RenderedTool };

/** A finished output item before it gets its `id` and, where it is a call, its `call_id`. */
export type ParsedItem = { readonly status: "completed" | "incomplete" } & (
  | Pick<MessageItem, "type" | "role" | "content">
  | {
      readonly type: "reasoning";
      readonly summary: [];
      readonly content: [{ type: "reasoning_text"; text: string }];
    }
  | {
      readonly type: "function_call";
      readonly name: string;
      readonly namespace?: string;
      readonly arguments: string;
    }
  | {
      readonly type: "custom_tool_call";
      readonly name: string;
      readonly namespace?: string;
      readonly input: string;
    }
  | {
      readonly type: "tool_search_call";
      readonly execution: "client";
      readonly arguments: JsonObject;
    }
);

/** A step of the parse of sampled text into items, before ids and numbers. `endByte` counts output bytes. */
export type ParsedEvent =
  | { readonly type: "item-start"; readonly index: number; readonly start: ItemStart }
  /** More of a message's or thought's text, a function call's arguments or a custom call's input. */
  | { readonly type: "delta"; readonly index: number; readonly text: string }
  /**
   * `endByte` is where the item's text ends in the output; white space that separates it from the next item
   * belongs to the next one. After the last item only white space can follow.
   */
  | {
      readonly type: "item-end";
      readonly index: number;
      readonly item: ParsedItem;
      readonly endByte: number;
    };

/** Turns output bytes into items as they come. Text that may be the start of a call is held back. */
export interface OutputParser {
  push(bytes: Uint8Array): ParsedEvent[];
  /**
   * The output is over: an open message ends, a call whose name never closed becomes text, and a call that
   * has been started ends as `incomplete`.
   */
  finish(): ParsedEvent[];
}
