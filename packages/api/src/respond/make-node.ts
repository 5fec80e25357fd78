import type { Item } from "@slipstream-stack/protocol";
import { type ChainNode, type ItemMark, itemCount } from "../chain/chain-node.ts";
import { nextLineage } from "../chain/lineage.ts";
import type { PromptPlan } from "../plan/renderer.ts";
import type { Generation } from "./generate.ts";
import type { ResolvedRequest } from "./resolve-request.ts";

/** What a response adds to its chain. */
export interface NodeParts {
  readonly id: string;
  readonly stored: boolean;
  readonly endedAt: number;
  readonly plan: PromptPlan;
  /** Null where nothing was generated: a prewarm, or an answer whose client left. */
  readonly answer: { readonly generation: Generation; readonly output: readonly Item[] } | null;
}

/**
 * The chain node of a response. Sampled ids go onto the rope unchanged; each output item gets the mark that
 * its bytes fall on, so that a client may continue even inside the response.
 */
export function makeNode(request: ResolvedRequest, parts: NodeParts): ChainNode {
  const { plan, answer } = parts;
  const { anchor, toRender } = request.base;
  const output = answer?.output ?? [];
  const rope =
    answer === null
      ? plan.items
      : plan.prompt.append([{ kind: "sampled", ids: answer.generation.ids, item: null }]);
  const outputMarks = answer === null ? [] : markOutput(request, plan, answer);
  return {
    id: parts.id,
    scope: request.incoming.scope,
    parent: anchor?.node ?? null,
    parentItems: anchor?.kept ?? 0,
    itemsBefore: anchor === null ? 0 : itemCount(anchor),
    head: request.head,
    items: [...toRender, ...output],
    inputCount: toRender.length,
    marks: [...plan.marks, ...outputMarks],
    rope,
    model: request.runtime.id,
    settings: request.settings.fingerprint,
    fingerprint: request.runtime.fingerprint,
    chain: anchor?.node.chain ?? parts.id,
    depth: anchor === null ? 0 : anchor.node.depth + 1,
    stored: parts.stored,
    endedAt: parts.endedAt,
  };
}

function markOutput(
  request: ResolvedRequest,
  plan: PromptPlan,
  { generation, output }: NonNullable<NodeParts["answer"]>,
): ItemMark[] {
  const states = plan.written(output, generation.ids);
  let lineage = plan.marks.at(-1)?.lineage ?? request.base.prompt.lineage;
  return output.map((item, index) => {
    lineage = nextLineage(lineage, item);
    const last = index === output.length - 1;
    const end = last ? { tokens: generation.ids.length, aligned: true } : generation.ends[index];
    const state = states[index] ?? request.base.prompt.state;
    return { lineage, end: plan.prompt.length + (end?.tokens ?? 0), aligned: end?.aligned ?? false, state };
  });
}
