import type { TextSegment } from "@slipstream-stack/inference";
import type { Item, Tool } from "@slipstream-stack/protocol";

/** Where a conversation stands between two items, as one dialect sees it. Immutable; opaque to others. */
export type RenderState = { readonly __opaque: "render" };

/** The settings that are rendered: nothing else of a request ever reaches the prompt. */
export interface HeadSettings {
  readonly instructions: string | null;
  /** Tools in the order given, namespaces flattened, unknown ones left out. */
  readonly tools: readonly RenderedTool[];
}

/** A callable tool under the one name the model sees, and the way back to what the client declared. */
export interface RenderedTool {
  readonly renderedName: string;
  readonly name: string;
  readonly namespace: string | null;
  readonly kind: "function" | "custom";
  readonly description: string | null;
  /** JSON schema of the arguments; for a custom tool an object with one string, `input`. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly source: Tool;
}

/** How the answer is to begin: free, or forced into a call of one of these tools. */
export interface PromptSettings {
  readonly forcedCall: readonly RenderedTool[] | null;
}

/**
 * What one step adds. `glue` is structure that stands whatever the item says (closers, headers);
 * `item` is the item's own text. `rewindTo`, when set, is the token length of the rope to go back to first.
 */
export interface Rendered {
  readonly rewindTo?: number;
  readonly glue: readonly TextSegment[];
  readonly item: readonly TextSegment[];
  readonly state: RenderState;
}

/**
 * A model's way to write a conversation, as a pure state machine. For every split of a conversation the
 * concatenated steps equal the steps made at once. Closers are lazy: an assistant turn stays open after an
 * item, and the next step (or `prompt`) closes it.
 */
export interface Dialect {
  readonly id: string;
  /** `append-only`: a step never rewrites. `rewinding`: it may. `whole`: rendered as one and cut at special tokens. */
  readonly kind: "append-only" | "rewinding" | "whole";
  head(settings: HeadSettings): Rendered;
  step(state: RenderState, item: Item): Rendered;
  /** The generation prompt, up to where the model begins to write. */
  prompt(state: RenderState, settings: PromptSettings): Rendered;
  /**
   * The state after the model itself wrote `item` following the generation prompt: the item's text is on the
   * rope as sampled, so only the state moves.
   */
  written(state: RenderState, item: Item): RenderState;
  /** The text the model would write for these output items, for teacher forcing; without the stop token. */
  writing(state: RenderState, output: readonly Item[]): readonly TextSegment[];
}
