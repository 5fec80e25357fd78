import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createSimulatedModel, systemClock } from "@slipstream-stack/inference";
import type { Item } from "@slipstream-stack/protocol";
import { createWholeDialect } from "../render/whole/whole-dialect.ts";
import { ModelRuntime } from "./model-runtime.ts";
import { headBase, type PromptBase, type PromptPlan } from "./renderer.ts";

const root = "0".repeat(32);
const template =
  "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";
/** A template that rewrites the past: only the last message is told in full. */
const rewriting =
  "{% for m in messages %}<|im_start|>{{ m.role }}\n{% if loop.last %}{{ m.content }}{% else %}…{% endif %}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";

const user = (content: string): Item => ({ type: "message", role: "user", content });
const said = (text: string): Item => ({
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text }],
});
const headSettings = { instructions: null, tools: [] };
const free = () => ({ forcedCall: null });

async function runtimeOf(source: string): Promise<ModelRuntime> {
  const model = createSimulatedModel({ id: "sim", clock: systemClock });
  const vocabulary = await model.tokenizer.vocabulary();
  const structural = [...vocabulary.structural.values()];
  const tokens = { structural, beginOfText: null, endOfText: "<|im_end|>", addBeginOfText: false };
  return new ModelRuntime(
    model,
    createWholeDialect(source, tokens, () => null),
    vocabulary,
  );
}

/** The base after the model wrote `text` to a plan, in single bytes: ids the tokenizer would never give. */
async function writtenBase(runtime: ModelRuntime, plan: PromptPlan, text: string): Promise<PromptBase> {
  const { vocabulary } = runtime;
  const bytes = [...new TextEncoder().encode(text)];
  const ids = Uint32Array.from(bytes, (byte) =>
    vocabulary.pieces.findIndex((piece) => piece.length === 1 && piece[0] === byte),
  );
  const rope = plan.prompt.append([{ kind: "sampled", ids, item: null }]);
  const [state] = plan.written([said(text)], ids);
  assert.ok(state !== undefined);
  return { rope, state, lineage: "next" };
}

describe("WholeRenderer", () => {
  it("keeps every id before the first text that differs, sampled ones included", async () => {
    const runtime = await runtimeOf(template);
    const head = await runtime.head(root, headSettings);
    const first = await runtime.renderer.plan(
      { headSettings, base: headBase(head), before: () => [], items: [user("hello")] },
      free,
    );
    const base = await writtenBase(runtime, first, "hi there");
    const before = () => [user("hello"), said("hi there")];
    const second = await runtime.renderer.plan({ headSettings, base, before, items: [user("more")] }, free);
    assert.deepEqual([...second.prompt.slice(0, base.rope.length)], [...base.rope.slice(0)]);
    assert.equal(second.cause, null);
    assert.ok(second.work.tokenizedTokens < 20);
  });

  it("goes back to where a template rewrites the past, and says so", async () => {
    const runtime = await runtimeOf(rewriting);
    const head = await runtime.head(root, headSettings);
    const first = await runtime.renderer.plan(
      { headSettings, base: headBase(head), before: () => [], items: [user("hello")] },
      free,
    );
    const base = await writtenBase(runtime, first, "hi");
    const second = await runtime.renderer.plan(
      { headSettings, base, before: () => [user("hello"), said("hi")], items: [user("more")] },
      free,
    );
    assert.equal(second.cause, "template_rewind");
    const fresh = await runtime.renderer.plan(
      {
        headSettings,
        base: headBase(head),
        before: () => [],
        items: [user("hello"), said("hi"), user("more")],
      },
      free,
    );
    assert.deepEqual(second.prompt.slice(0), fresh.prompt.slice(0));
  });
});
