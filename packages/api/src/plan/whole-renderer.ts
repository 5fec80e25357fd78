import type { TextSegment, Vocabulary } from "@slipstream-stack/inference";
import type { Item } from "@slipstream-stack/protocol";
import { nextLineage } from "../chain/lineage.ts";
import type { PromptSettings, RenderState, WholeDialect } from "../render/dialect.ts";
import type { RenderedTool } from "../render/rendered-tool.ts";
import type { Rope } from "../rope/rope.ts";
import type { PlanInput, PromptPlan, Renderer } from "./renderer.ts";
import type { SegmentEncoder } from "./segment-encoder.ts";

/** A stretch of the last rendering with the ids that stand for it; `end` is its end on the rope in tokens. */
interface Piece {
  readonly text: string;
  readonly special: boolean;
  readonly end: number;
}

/** What a whole template's state is: the last rendering, piece by piece. */
interface WholeState {
  readonly pieces: readonly Piece[];
}

/**
 * Renders the whole conversation each time, as a template that is a black box must be, and tokenizes only
 * from the first piece that differs: leading pieces that are equal keep their ids, sampled ones included.
 */
export class WholeRenderer implements Renderer {
  readonly #dialect: WholeDialect;
  readonly #encoder: SegmentEncoder;
  readonly #vocabulary: Vocabulary;

  constructor(dialect: WholeDialect, encoder: SegmentEncoder, vocabulary: Vocabulary) {
    this.#dialect = dialect;
    this.#encoder = encoder;
    this.#vocabulary = vocabulary;
  }

  async plan(
    { headSettings, base, before, items, anew }: PlanInput,
    promptFor: (tools: readonly RenderedTool[]) => PromptSettings | null,
  ): Promise<PromptPlan> {
    const all = [...before(), ...items];
    const prompt = promptFor(this.#dialect.tools(headSettings, all));
    const runs = runsOf(this.#dialect.renderAll(headSettings, all, prompt));
    const held = piecesOf(base.state);
    const equal = commonPieces(held, runs);
    const bare = held.length === 0 ? base.rope.length : 0;
    const kept = equal === 0 ? bare : (held[equal - 1]?.end ?? 0);
    const rest = runs.slice(equal);
    const { ids, tokenized } = await this.#encoder.encode(
      rest.map((run) => run.parts),
      anew?.tokenize !== true,
    );
    const rope = appendIds(base.rope.cut(kept), ids);
    const pieces = [...held.slice(0, equal), ...piecesFrom(rest, ids, kept)];
    const state = asState(pieces);
    let lineage = base.lineage;
    const marks = items.map((item) => {
      lineage = nextLineage(lineage, item);
      return { lineage, end: rope.length, aligned: true, state };
    });
    return {
      items: rope,
      prompt: rope,
      marks,
      cause: held.length > equal ? "template_rewind" : null,
      work: { renderedItems: all.length, tokenizedTokens: tokenized },
      writing: (output) => this.#dialect.writing(headSettings, all, output, prompt ?? { forcedCall: null }),
      written: (output, sampled) => this.#written(pieces, rope.length, output, sampled),
    };
  }

  /** Output items of one response share one state: the template decides on the next rendering what stands. */
  #written(
    pieces: readonly Piece[],
    start: number,
    output: readonly Item[],
    sampled: Uint32Array,
  ): RenderState[] {
    const { pieces: bytes, structural } = this.#vocabulary;
    const grown: Piece[] = [...pieces];
    const decoder = new TextDecoder();
    let run: number[] = [];
    let at = start;
    const close = () => {
      if (run.length === 0) return;
      at += run.length;
      const text = decoder.decode(Uint8Array.from(run.flatMap((id) => [...(bytes[id] ?? [])])));
      const last = grown.at(-1);
      const joins = last !== undefined && !last.special;
      if (joins) grown.pop();
      grown.push({ text: (joins ? last.text : "") + text, special: false, end: at });
      run = [];
    };
    for (const id of sampled) {
      const text = structural.get(id);
      if (text === undefined) {
        run.push(id);
        continue;
      }
      close();
      at += 1;
      grown.push({ text, special: true, end: at });
    }
    close();
    return output.map(() => asState(grown));
  }
}

/** The state of a conversation that has not been rendered yet. */
export const nothingRendered: RenderState = asState([]);

function asState(pieces: readonly Piece[]): RenderState {
  return { pieces } satisfies WholeState as unknown as RenderState;
}

function piecesOf(state: RenderState): readonly Piece[] {
  return (state as unknown as WholeState).pieces;
}

/** Plain segments that follow each other: compared as one text, tokenized apart, where they were cut. */
interface Run {
  readonly text: string;
  readonly special: boolean;
  readonly parts: readonly TextSegment[];
}

function runsOf(segments: readonly TextSegment[]): Run[] {
  const runs: Run[] = [];
  for (const segment of segments) {
    const last = runs.at(-1);
    if (last === undefined || last.special || segment.special) runs.push({ ...segment, parts: [segment] });
    else {
      const parts = [...last.parts, segment];
      runs[runs.length - 1] = { text: last.text + segment.text, special: false, parts };
    }
  }
  return runs;
}

function commonPieces(pieces: readonly Piece[], runs: readonly Run[]): number {
  let equal = 0;
  while (equal < pieces.length && equal < runs.length) {
    const piece = pieces[equal];
    const run = runs[equal];
    if (piece?.text !== run?.text || piece?.special !== run?.special) break;
    equal += 1;
  }
  return equal;
}

function piecesFrom(runs: readonly Run[], ids: readonly Uint32Array[], start: number): Piece[] {
  let end = start;
  return runs.map(({ text, special }, index) => {
    end += ids[index]?.length ?? 0;
    return { text, special, end };
  });
}

function appendIds(rope: Rope, ids: readonly Uint32Array[]): Rope {
  return rope.append(ids.map((part) => ({ kind: "input" as const, ids: part, item: null })));
}
