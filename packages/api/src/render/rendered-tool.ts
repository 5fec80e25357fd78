import type { Tool } from "@slipstream-stack/protocol";

/** A callable tool under the one name the model sees, and the way back to what the client declared. */
export interface RenderedTool {
  readonly renderedName: string;
  readonly name: string;
  readonly namespace: string | null;
  /** What item a call becomes: `function_call`, `custom_tool_call` or `tool_search_call`. */
  readonly kind: "function" | "custom" | "tool_search";
  readonly description: string | null;
  /** JSON schema of the arguments; for a custom tool an object with one string, `input`. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly source: Tool;
}
