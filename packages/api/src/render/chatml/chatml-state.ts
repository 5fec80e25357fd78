import type { RenderState } from "../dialect.ts";
import type { ToolScope } from "../tool-scope.ts";

/** Where a ChatML conversation stands. */
export interface ChatmlState {
  /** Whether anything has been rendered: the default system turn may only come first. */
  readonly started: boolean;
  /** The turn that is still open; its closer comes with the next step. */
  readonly open: "none" | "assistant" | "tool";
  /**
   * What the open assistant turn ends with: its bare header, the opening of a forced call, an empty message,
   * text, a call, a thought.
   */
  readonly last: "header" | "forced" | "empty" | "text" | "call" | "thought";
  /** The tools declared up to here. */
  readonly scope: ToolScope;
}

export function asRenderState(state: ChatmlState): RenderState {
  return state as unknown as RenderState;
}

export function asChatmlState(state: RenderState): ChatmlState {
  return state as unknown as ChatmlState;
}
