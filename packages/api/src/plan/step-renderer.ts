import type { Item } from "@slipstream-stack/protocol";
import type { ItemMark } from "../chain/chain-node.ts";
import { itemHash, nextLineage } from "../chain/lineage.ts";
import type { HeadSettings, PromptSettings, RenderState, StepDialect } from "../render/dialect.ts";
import type { RenderedTool } from "../render/rendered-tool.ts";
import type { Segment } from "../rope/segment.ts";
import type { PlanInput, PromptPlan, Renderer } from "./renderer.ts";
import type { SegmentEncoder } from "./segment-encoder.ts";

/** Renders and tokenizes what is new and nothing else (architecture, law 1). */
export class StepRenderer implements Renderer {
  readonly #dialect: StepDialect;
  readonly #encoder: SegmentEncoder;

  constructor(dialect: StepDialect, encoder: SegmentEncoder) {
    this.#dialect = dialect;
    this.#encoder = encoder;
  }

  async plan(
    { headSettings, base, before, items, anew }: PlanInput,
    promptFor: (tools: readonly RenderedTool[]) => PromptSettings | null,
  ): Promise<PromptPlan> {
    const dialect = this.#dialect;
    const again = anew?.render === true ? this.#renderAgain(headSettings, before()) : 0;
    const steps = [];
    let state = base.state;
    for (const item of items) {
      const step = dialect.step(state, item);
      state = step.state;
      steps.push(step);
    }
    const settings = promptFor(dialect.tools(state));
    const prompt = settings === null ? null : dialect.prompt(state, settings);
    const groups = steps.flatMap((step) => [step.glue, step.item]);
    if (prompt !== null) groups.push([...prompt.glue, ...prompt.item]);
    const { ids, tokenized } = await this.#encoder.encode(groups, anew?.tokenize !== true);
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
    const written = prompt?.state ?? state;
    return {
      items: rope,
      prompt: glue === undefined ? rope : rope.append([{ kind: "glue", ids: glue, item: null }]),
      marks,
      cause: null,
      work: { renderedItems: again + items.length, tokenizedTokens: tokenized },
      writing: (output) => dialect.writing(written, output),
      written: (output) => statesAfter(dialect, written, output),
    };
  }

  /** Renders from the head on; says how many items that were. */
  #renderAgain(headSettings: HeadSettings, items: readonly Item[]): number {
    let { state } = this.#dialect.head(headSettings);
    for (const item of items) state = this.#dialect.step(state, item).state;
    return items.length;
  }
}

function stepSegments(glue: Uint32Array | undefined, item: Uint32Array | undefined, hash: string): Segment[] {
  const segments: Segment[] = [];
  if (glue !== undefined) segments.push({ kind: "glue", ids: glue, item: null });
  if (item !== undefined) segments.push({ kind: "input", ids: item, item: hash });
  return segments;
}

function statesAfter(dialect: StepDialect, start: RenderState, output: readonly Item[]): RenderState[] {
  let state = start;
  return output.map((item) => {
    state = dialect.written(state, item);
    return state;
  });
}
