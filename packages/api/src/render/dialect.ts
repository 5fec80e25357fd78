import type { TextSegment } from "@slipstream-stack/inference";
import type { Item } from "@slipstream-stack/protocol";
import type { OutputParser } from "../parse/parsed-event.ts";
import type { RenderedTool } from "./rendered-tool.ts";

/** Where a conversation stands between two items, as one dialect sees it. Immutable; opaque to others. */
export type RenderState = { readonly __opaque: "render" };

/** The settings that are rendered: nothing else of a request ever reaches the prompt. */
export interface HeadSettings {
  readonly instructions: string | null;
  /** Tools in the order given, namespaces flattened, unknown ones left out. */
  readonly tools: readonly RenderedTool[];
}

/** How the answer is to begin: free, or forced into a call of one of these tools. */
export interface PromptSettings {
  readonly forcedCall: readonly RenderedTool[] | null;
}

/**
 * What one step adds. `glue` is structure that stands whatever the item says (closers, headers);
 * `item` is the item's own text and follows it. `rewindTo`, when set, is the token length of the rope to go
 * back to first.
 */
export interface Rendered {
  readonly rewindTo?: number;
  readonly glue: readonly TextSegment[];
  readonly item: readonly TextSegment[];
  readonly state: RenderState;
}

/** How a model writes a call, for the constraints of the decode program. Texts, not tokens. */
export interface CallSyntax {
  /** What opens a call in free text. */
  readonly open: string;
  /** What lies between `open` and the tool's name (a JSON string without its quotes). */
  readonly begin: string;
  /** The same where the prompt already ends in the opening of a forced call. */
  readonly beginForced: string;
  /** Between the name and the arguments, a JSON object. */
  readonly between: string;
  /** After the arguments. */
  readonly end: string;
}

interface DialectBase {
  readonly id: string;
  /** Names the rendering: equal fingerprints render equal text. Goes into lineages and the store. */
  readonly fingerprint: string;
  /** Structural tokens that end the output, besides the vocabulary's own end-of-generation tokens. */
  readonly stops: readonly string[];
  readonly callSyntax: CallSyntax;
  /**
   * A parser for what the model writes after `prompt`. Only calls of `tools` are calls; give none where
   * `tool_choice` is `none`, and a call stays text.
   */
  parser(tools: readonly RenderedTool[], settings: PromptSettings): OutputParser;
}

/**
 * A model's way to write a conversation, as a pure state machine. For every split of a conversation the
 * concatenated steps equal the steps made at once. Closers are lazy: an assistant turn stays open after an
 * item, and the next step (or `prompt`) closes it.
 */
export interface StepDialect extends DialectBase {
  /** `append-only`: a step never rewrites. `rewinding`: it may. */
  readonly kind: "append-only" | "rewinding";
  head(settings: HeadSettings): Rendered;
  step(state: RenderState, item: Item): Rendered;
  /** The generation prompt, up to where the model begins to write. */
  prompt(state: RenderState, settings: PromptSettings): Rendered;
  /** Every tool callable at this point: those of the head and those that items have added since. */
  tools(state: RenderState): readonly RenderedTool[];
  /**
   * The state after the model itself wrote `item`; `state` is the one `prompt` or an earlier `written` gave.
   * The item's text is on the rope as sampled, so only the state moves.
   */
  written(state: RenderState, item: Item): RenderState;
  /**
   * The text the model would write for these output items after `prompt` gave `state`, for teacher forcing;
   * without the stop token. Parsing it gives the items back, unless a message is blank, follows another
   * message, or itself spells a call.
   */
  writing(state: RenderState, output: readonly Item[]): readonly TextSegment[];
}

/**
 * Any Jinja template: the conversation is always rendered as one and cut at special tokens. The caller keeps
 * the segments of the last rendering and compares by text: leading segments that are equal keep their ids,
 * the rest is a rewind to where they end.
 */
export interface WholeDialect extends DialectBase {
  readonly kind: "whole";
  /** The whole conversation; with `prompt` also the generation prompt. Throws ApiError `dialect_broken`. */
  renderAll(
    head: HeadSettings,
    items: readonly Item[],
    prompt: PromptSettings | null,
  ): readonly TextSegment[];
  /** Every tool callable after these items. */
  tools(head: HeadSettings, items: readonly Item[]): readonly RenderedTool[];
  /** The text the model would write for these output items; without the stop token. */
  writing(
    head: HeadSettings,
    items: readonly Item[],
    output: readonly Item[],
    prompt: PromptSettings,
  ): readonly TextSegment[];
}

export type Dialect = StepDialect | WholeDialect;
