import type { TextSegment } from "@slipstream-stack/inference";
import type { BreakCause, Item } from "@slipstream-stack/protocol";
import type { HeadNode, ItemMark } from "../chain/chain-node.ts";
import type { HeadSettings, PromptSettings, RenderState } from "../render/dialect.ts";
import type { RenderedTool } from "../render/rendered-tool.ts";
import type { Rope } from "../rope/rope.ts";

/** Where a prompt continues: the tokens that stand, the renderer's state there, and the lineage so far. */
export interface PromptBase {
  readonly rope: Rope;
  readonly state: RenderState;
  readonly lineage: string;
}

/** The base of a conversation that has nothing but its head. */
export function headBase(head: HeadNode): PromptBase {
  return { rope: head.rope, state: head.state, lineage: head.lineage };
}

/** What is done once more although it was done before (law 9): each technique's cost without it. */
export interface Anew {
  /** What stands is rendered too. Its tokens, and so where they end, stay. */
  readonly render: boolean;
  /** No ids come from memory; the base then has no more than its head. */
  readonly tokenize: boolean;
}

/** What is to be rendered: `items` on top of `base`, under a head. */
export interface PlanInput {
  readonly headSettings: HeadSettings;
  readonly base: PromptBase;
  /** The items that stand in `base`, for a renderer that cannot do without them. */
  readonly before: () => readonly Item[];
  readonly items: readonly Item[];
  /** Default: nothing. */
  readonly anew?: Anew;
}

/** A prompt that continues a base by some items, with its cut points and what making it cost. */
export interface PromptPlan {
  /** Up to the last item, without the generation prompt. */
  readonly items: Rope;
  /** What the engine is given. */
  readonly prompt: Rope;
  /** One per item, in order. */
  readonly marks: readonly ItemMark[];
  /** Why tokens of the base were given up, or null. */
  readonly cause: BreakCause | null;
  readonly work: { readonly renderedItems: number; readonly tokenizedTokens: number };
  /** The text the model would write for these output items, without the stop token. */
  writing(output: readonly Item[]): readonly TextSegment[];
  /** The renderer's state after each output item, once the model has written `ids` for all of them. */
  written(output: readonly Item[], ids: Uint32Array): readonly RenderState[];
}

/**
 * Turns items into tokens on top of what stands. `promptFor` is told the tools callable at the end and says
 * how the answer begins; null leaves the generation prompt out, as a prewarm does.
 */
export interface Renderer {
  plan(
    input: PlanInput,
    promptFor: (tools: readonly RenderedTool[]) => PromptSettings | null,
  ): Promise<PromptPlan>;
}
