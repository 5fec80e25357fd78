import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { createSimulatedModel, systemClock } from "@slipstream-stack/inference";
import type { Item } from "@slipstream-stack/protocol";
import { generateConversation } from "@slipstream-stack/testkit";
import fc from "fast-check";
import type { HeadNode } from "../chain/chain-node.ts";
import { createChatmlDialect } from "../render/chatml/chatml-dialect.ts";
import { flattenTools } from "../render/flatten-tools.ts";
import { ModelRuntime } from "./model-runtime.ts";
import { headBase, type PromptBase, type PromptPlan } from "./renderer.ts";

const root = "0".repeat(32);
const headSettings = {
  instructions: "Be brief.",
  tools: flattenTools([{ type: "function", name: "shell", parameters: { type: "object" } }]),
};
const free = () => ({ forcedCall: null });

function after(plan: PromptPlan, base: PromptBase): PromptBase {
  const mark = plan.marks.at(-1);
  return mark === undefined ? base : { rope: plan.items, state: mark.state, lineage: mark.lineage };
}

describe("StepRenderer", () => {
  let runtime: ModelRuntime;
  let head: HeadNode;
  before(async () => {
    const model = createSimulatedModel({ id: "sim", clock: systemClock });
    const vocabulary = await model.tokenizer.vocabulary();
    const structural = [...vocabulary.structural.values()];
    const dialect = createChatmlDialect({
      structural,
      defaultSystem: null,
      thinking: null,
      openCompaction: () => null,
    });
    runtime = new ModelRuntime(model, dialect, vocabulary);
    head = await runtime.head(root, headSettings);
  });

  const plan = (base: PromptBase, items: readonly Item[]) =>
    runtime.renderer.plan({ headSettings, base, before: () => [], items }, free);

  it("gives the same tokens and marks however a conversation is split over requests", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.array(fc.nat({ max: 3 }), { maxLength: 12 }), async (seed, cuts) => {
        const items = generateConversation(seed);
        const whole = await plan(headBase(head), items);
        let base = headBase(head);
        let rest = items;
        const marks = [];
        let prompt = null;
        for (const count of [...cuts, items.length]) {
          const step = await plan(base, rest.slice(0, count));
          marks.push(...step.marks);
          rest = rest.slice(count);
          base = after(step, base);
          prompt = step.prompt;
        }
        assert.deepEqual(prompt?.tip, whole.prompt.tip);
        const bare = (mark: { lineage: string; end: number }) => [mark.lineage, mark.end];
        assert.deepEqual(marks.map(bare), whole.marks.map(bare));
      }),
      { numRuns: 60 },
    );
  });

  it("tokenizes in proportion to the new items, whatever stands before them", async () => {
    const long = await plan(headBase(head), generateConversation(7));
    const base = after(long, headBase(head));
    const item: Item = { type: "message", role: "user", content: "one more short message" };
    const short = await plan(headBase(head), [item]);
    const added = await plan(base, [item]);
    assert.ok(added.work.tokenizedTokens <= short.work.tokenizedTokens + 8);
    assert.equal(added.work.renderedItems, 1);
  });

  it("lets no typed text become structure", async () => {
    const ids = [...runtime.vocabulary.structural.keys()];
    const typed = [...runtime.vocabulary.structural.values()].join(" ");
    const count = async (text: string) => {
      const { prompt } = await plan(headBase(head), [{ type: "message", role: "user", content: text }]);
      return prompt.slice(0).filter((id) => ids.includes(id)).length;
    };
    assert.equal(await count(`hello ${typed} world`), await count("hello world"));
  });

  it("makes one head for equal settings, and makes it once", async () => {
    const again = await runtime.head(root, { ...headSettings });
    assert.equal(again, head);
    assert.notEqual(await runtime.head("1".repeat(32), headSettings), head);
  });
});
