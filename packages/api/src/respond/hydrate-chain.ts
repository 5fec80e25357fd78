import type { Scope } from "@slipstream-stack/inference";
import { type Item, type RequestSettings, tryParseJson } from "@slipstream-stack/protocol";
import { type ChainNode, type ItemMark, itemCount, itemsUpTo } from "../chain/chain-node.ts";
import { nextLineage } from "../chain/lineage.ts";
import type { ModelRuntime } from "../plan/model-runtime.ts";
import { headBase, type PromptBase, type PromptPlan } from "../plan/renderer.ts";
import type { HeadSettings } from "../render/dialect.ts";
import type { StoredNode } from "../store/store.ts";
import type { RespondDependencies } from "./dependencies.ts";
import { toHeadSettings } from "./head-settings.ts";

/**
 * Brings a stored chain back into memory: input items are rendered and tokenized once more, sampled ids are
 * taken as they were stored. Each node's identity is held against the stored one; from the first that differs
 * (another renderer, another tokenizer) the chain is what rendering its text gives.
 * @returns the leaf, or null where the chain's model is not served any more.
 */
export async function hydrateChain(
  dependencies: RespondDependencies,
  scope: Scope,
  stored: readonly StoredNode[],
): Promise<ChainNode | null> {
  let leaf: ChainNode | null = null;
  for (const entry of stored) {
    const held = entry.deleted ? null : dependencies.chains.byId(scope, entry.id);
    leaf = held ?? (await hydrateNode(dependencies, scope, entry, leaf));
    if (leaf === null) return null;
    if (held === null && !entry.deleted) dependencies.chains.commit(leaf);
  }
  return leaf;
}

async function hydrateNode(
  { models, rootOf, clock, settings: cache }: RespondDependencies,
  scope: Scope,
  entry: StoredNode,
  parent: ChainNode | null,
): Promise<ChainNode | null> {
  const given = tryParseJson(new TextDecoder().decode(entry.settingsContent)) as unknown as RequestSettings;
  const settings = cache.resolve(scope, `stored:${entry.settings}`, () => given);
  const runtime = models.get(settings.model);
  if (runtime === undefined) return null;
  const headSettings = toHeadSettings(settings);
  const head = await runtime.head(rootOf(scope), headSettings);
  const base = parent === null ? headBase(head) : tipBase(parent);
  const before = () => (parent === null ? [] : itemsUpTo({ node: parent, kept: parent.items.length }));
  const rebuilt = await rebuild(runtime, headSettings, base, before, entry);
  return {
    id: entry.id,
    scope,
    parent,
    parentItems: parent?.items.length ?? 0,
    itemsBefore: parent === null ? 0 : itemCount({ node: parent, kept: parent.items.length }),
    head,
    items: entry.items,
    inputCount: entry.inputCount,
    ...rebuilt,
    model: runtime.id,
    settings: entry.settings,
    fingerprint: runtime.fingerprint,
    chain: entry.chain,
    depth: entry.depth,
    stored: true,
    endedAt: clock.now(),
  };
}

function tipBase(parent: ChainNode): PromptBase {
  const mark = parent.marks.at(-1);
  if (mark === undefined) return headBase(parent.head);
  return { rope: parent.rope.cut(mark.end), state: mark.state, lineage: mark.lineage };
}

async function rebuild(
  { renderer }: ModelRuntime,
  headSettings: HeadSettings,
  base: PromptBase,
  before: () => readonly Item[],
  entry: StoredNode,
): Promise<Pick<ChainNode, "rope" | "marks">> {
  const { sampled, inputCount, items } = entry;
  const input = { headSettings, base, before, items: items.slice(0, inputCount) };
  for (const isForced of sampled?.firstItem === inputCount ? [false, true] : []) {
    const plan = await renderer.plan(input, (tools) => ({ forcedCall: isForced ? tools : null }));
    const rope = plan.prompt.append([
      { kind: "sampled", ids: sampled?.ids ?? new Uint32Array(0), item: null },
    ]);
    if (rope.tip.hash === entry.tip.hash) {
      return { rope, marks: [...plan.marks, ...outputMarks(plan, base, entry, rope.length)] };
    }
  }
  const text = await renderer.plan({ ...input, items }, () => null);
  return { rope: text.items, marks: text.marks };
}

/** Marks of the output items: stored ends count from the node's start, so only their distance to the last is used. */
function outputMarks(plan: PromptPlan, base: PromptBase, entry: StoredNode, ropeEnd: number): ItemMark[] {
  const output = entry.items.slice(entry.inputCount);
  const states = plan.written(output, entry.sampled?.ids ?? new Uint32Array(0));
  const lastEnd = entry.marks.at(-1)?.end ?? 0;
  let lineage = plan.marks.at(-1)?.lineage ?? base.lineage;
  return output.map((item, index) => {
    lineage = nextLineage(lineage, item);
    const mark = entry.marks[entry.inputCount + index];
    const end = ropeEnd - (lastEnd - (mark?.end ?? lastEnd));
    return { lineage, end, aligned: mark?.aligned ?? false, state: states[index] ?? base.state };
  });
}
