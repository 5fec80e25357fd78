import type { Item } from "@slipstream-stack/protocol";
import type { HeadNode, ItemMark } from "../chain/chain-node.ts";
import { itemHash, nextLineage } from "../chain/lineage.ts";
import type { PromptSettings, RenderState, StepDialect } from "../render/dialect.ts";
import type { Rope } from "../rope/rope.ts";
import type { Segment } from "../rope/segment.ts";
import type { SegmentEncoder } from "./segment-encoder.ts";

/** Where a prompt continues: the tokens that stand, the renderer's state there, and the lineage so far. */
export interface PromptBase {
  readonly rope: Rope;
  readonly state: RenderState;
  readonly lineage: string;
}

/** A prompt that continues a base by some items, with its cut points and what making it cost. */
export interface PromptPlan {
  /** Up to the last item, without the generation prompt. */
  readonly items: Rope;
  /** What the engine is given. */
  readonly prompt: Rope;
  /** One per item, in order. */
  readonly marks: readonly ItemMark[];
  /** State after the generation prompt. */
  readonly state: RenderState;
  readonly work: { readonly renderedItems: number; readonly tokenizedTokens: number };
}

/** The base of a conversation that has nothing but its head. */
export function headBase(head: HeadNode): PromptBase {
  return { rope: head.rope, state: head.state, lineage: head.lineage };
}

/**
 * Renders and tokenizes what is new and nothing else (architecture, law 1). `promptFor` is told the state
 * after the last item and says how the answer begins; null leaves the generation prompt out, as a prewarm does.
 */
export async function planPrompt(
  dialect: StepDialect,
  encoder: SegmentEncoder,
  base: PromptBase,
  items: readonly Item[],
  promptFor: (state: RenderState) => PromptSettings | null,
): Promise<PromptPlan> {
  const steps = [];
  let state = base.state;
  for (const item of items) {
    const step = dialect.step(state, item);
    state = step.state;
    steps.push(step);
  }
  const promptSettings = promptFor(state);
  const prompt = promptSettings === null ? null : dialect.prompt(state, promptSettings);
  const groups = steps.flatMap((step) => [step.glue, step.item]);
  if (prompt !== null) groups.push([...prompt.glue, ...prompt.item]);
  const { ids, tokenized } = await encoder.encode(groups);
  let rope = base.rope;
  let lineage = base.lineage;
  const marks: ItemMark[] = [];
  steps.forEach((step, index) => {
    const item = items[index] as Item;
    rope = rope.append(stepSegments(ids[index * 2], ids[index * 2 + 1], itemHash(item)));
    lineage = nextLineage(lineage, item);
    marks.push({ lineage, end: rope.length, aligned: true, state: step.state });
  });
  const glue = prompt === null ? undefined : ids.at(-1);
  return {
    items: rope,
    prompt: glue === undefined ? rope : rope.append([{ kind: "glue", ids: glue, item: null }]),
    marks,
    state: prompt?.state ?? state,
    work: { renderedItems: items.length, tokenizedTokens: tokenized },
  };
}

function stepSegments(glue: Uint32Array | undefined, item: Uint32Array | undefined, hash: string): Segment[] {
  const segments: Segment[] = [];
  if (glue !== undefined) segments.push({ kind: "glue", ids: glue, item: null });
  if (item !== undefined) segments.push({ kind: "input", ids: item, item: hash });
  return segments;
}
