import type { Scope } from "@slipstream-stack/inference";
import { type RequestSettings, tryParseJson } from "@slipstream-stack/protocol";
import type { ChainNode, ItemMark } from "../chain/chain-node.ts";
import { nextLineage } from "../chain/lineage.ts";
import type { StepDialect } from "../render/dialect.ts";
import { resolveSettings } from "../settings/resolved-settings.ts";
import type { StoredNode } from "../store/store.ts";
import type { RespondDependencies } from "./dependencies.ts";
import type { ModelRuntime } from "./model-runtime.ts";
import { headBase, type PromptBase, planPrompt } from "./plan-prompt.ts";
import { toHeadSettings } from "./resolve-request.ts";

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
  if (runtime === undefined || runtime.dialect.kind === "whole") return null;
  const head = await runtime.head(rootOf(scope), toHeadSettings(resolveSettings(given)));
  const base = parent === null ? headBase(head) : tipBase(parent);
  const rebuilt = await rebuild(runtime, runtime.dialect, base, entry);
  return {
    id: entry.id,
    scope,
    parent,
    parentItems: parent?.items.length ?? 0,
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
  runtime: ModelRuntime,
  dialect: StepDialect,
  base: PromptBase,
  entry: StoredNode,
): Promise<Pick<ChainNode, "rope" | "marks">> {
  const input = entry.items.slice(0, entry.inputCount);
  const { sampled } = entry;
  if (sampled === null || sampled.firstItem !== entry.inputCount) {
    const whole = await planPrompt(dialect, runtime.encoder, base, entry.items, () => null);
    return { rope: whole.items, marks: whole.marks };
  }
  for (const forced of [null, dialect.tools(base.state)]) {
    const plan = await planPrompt(dialect, runtime.encoder, base, input, () => ({ forcedCall: forced }));
    const rope = plan.prompt.append([{ kind: "sampled", ids: sampled.ids, item: null }]);
    if (rope.tip.hash !== entry.tip.hash) continue;
    return { rope, marks: [...plan.marks, ...outputMarks(dialect, plan, base, entry, rope.start)] };
  }
  const whole = await planPrompt(dialect, runtime.encoder, base, entry.items, () => null);
  return { rope: whole.items, marks: whole.marks };
}

function outputMarks(
  dialect: StepDialect,
  plan: Awaited<ReturnType<typeof planPrompt>>,
  base: PromptBase,
  entry: StoredNode,
  sampledStart: number,
): ItemMark[] {
  let lineage = plan.marks.at(-1)?.lineage ?? base.lineage;
  let state = plan.state;
  const first = entry.marks[entry.inputCount];
  return entry.items.slice(entry.inputCount).map((item, index) => {
    lineage = nextLineage(lineage, item);
    state = dialect.written(state, item);
    const stored = entry.marks[entry.inputCount + index] ?? first;
    const last = entry.marks.at(-1);
    const back = (last?.end ?? 0) - (stored?.end ?? 0);
    const end = sampledStart + (entry.sampled?.ids.length ?? 0) - back;
    return { lineage, end, aligned: stored?.aligned ?? false, state };
  });
}
