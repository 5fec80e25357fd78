import type { Item } from "@slipstream-stack/protocol";
import type { RenderedTool } from "../render/dialect.ts";

/** What a call's output item will be, known as soon as its name has been written. */
export type ItemStart =
  | { readonly kind: "message" }
  | { readonly kind: "reasoning" }
  | { readonly kind: "call"; readonly tool: RenderedTool };

/** A step of the parse of sampled text into items, before ids and numbers. `endByte` counts output bytes. */
export type ParsedEvent =
  | { readonly type: "item-start"; readonly index: number; readonly start: ItemStart }
  | { readonly type: "delta"; readonly index: number; readonly text: string }
  /** The finished item without `id` and `call_id`; `endByte` is where its text ends in the output. */
  | { readonly type: "item-end"; readonly index: number; readonly item: Item; readonly endByte: number };

/** Turns output bytes into items as they come. Text that may be the start of a call is held back. */
export interface OutputParser {
  push(bytes: Uint8Array): ParsedEvent[];
  /** The output is over: an open message ends, a call that never closed becomes text. */
  finish(): ParsedEvent[];
}
