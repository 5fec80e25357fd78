import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { itemSchema } from "@slipstream-stack/protocol";
import { ApiError } from "../errors.ts";
import { chooseDialect } from "./choose-dialect.ts";
import type { StepDialect } from "./dialect.ts";
import { qwenStructure, smollmStructure } from "./testing/arbitrary-items.ts";
import { fixtureTemplate, strictTemplate } from "./testing/templates.ts";

const vocabulary = (structural: readonly string[], addBeginOfText = false) => ({
  structural: new Map(structural.map((text, id) => [id, text])),
  addBeginOfText,
});
const model = (chatTemplate: string | null) => ({ chatTemplate, beginOfText: "<s>", endOfText: "</s>" });
const choose = (template: string | null, structural: readonly string[], begin = false) =>
  chooseDialect(model(template), vocabulary(structural, begin), () => null);

function firstTurns(dialect: StepDialect): string {
  const head = dialect.head({ instructions: null, tools: [] });
  const step = dialect.step(head.state, itemSchema.parse({ role: "user", content: "hi" }));
  return [...step.glue, ...step.item].map((segment) => segment.text).join("");
}

describe("choose dialect", () => {
  it("takes ChatML for SmolLM2 and Qwen 2.5, each with its own default system text", () => {
    const smollm = choose(fixtureTemplate("smollm2-instruct"), smollmStructure);
    assert.deepEqual([smollm.dialect.id, smollm.template], ["chatml", "append-only"]);
    assert.ok(smollm.dialect.kind === "append-only");
    assert.match(
      firstTurns(smollm.dialect),
      /^<\|im_start\|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<\|im_end\|>\n<\|im_start\|>user\nhi/,
    );
    const qwen = choose(fixtureTemplate("qwen2.5-instruct"), qwenStructure);
    assert.ok(qwen.dialect.kind === "append-only");
    assert.match(
      firstTurns(qwen.dialect),
      /^<\|im_start\|>system\nYou are Qwen, created by Alibaba Cloud\. /,
    );
    assert.notEqual(smollm.dialect.fingerprint, qwen.dialect.fingerprint);
  });

  it("takes ChatML with thoughts kept for Qwen 3, whose own template drops them later", () => {
    const { dialect, template } = choose(fixtureTemplate("qwen3"), [...qwenStructure, "<think>", "</think>"]);
    assert.deepEqual([dialect.id, dialect.kind, template], ["chatml", "append-only", "rewinding"]);
    assert.ok(dialect.kind === "append-only");
    assert.equal(firstTurns(dialect), "<|im_start|>user\nhi<|im_end|>\n");
  });

  it("takes the template itself where it writes otherwise, or its marks are no tokens", () => {
    const shouting = fixtureTemplate("smollm2-instruct").replace(
      "message['content']",
      "message['content'] | upper",
    );
    for (const [template, structural] of [
      [fixtureTemplate("mistral-nemo-instruct"), ["[INST]", "[/INST]"]],
      [fixtureTemplate("granite-4.0"), []],
      [strictTemplate, ["<start>", "<end>"]],
      [fixtureTemplate("smollm2-instruct"), ["<|endoftext|>"]],
    ] as const) {
      assert.equal(choose(template, structural).dialect.kind, "whole");
    }
    assert.throws(() => choose(shouting, smollmStructure), isBroken);
    const trimming = fixtureTemplate("smollm2-instruct").replace("+ '<|im_end|>' + '\n'", "+ '<|im_end|>'");
    assert.equal(choose(trimming, smollmStructure).dialect.kind, "whole");
  });

  it("takes the template itself where only its way with tools differs from ChatML's usual one", () => {
    const other = fixtureTemplate("qwen2.5-instruct").replaceAll("tool_response>", "tool_result>");
    assert.equal(choose(other, qwenStructure).dialect.kind, "whole");
  });

  it("does not mind a begin token that the tokenizer adds", () => {
    const begun = `{{ bos_token }}${fixtureTemplate("smollm2-instruct")}`;
    assert.equal(choose(begun, smollmStructure, true).dialect.id, "chatml");
    assert.equal(choose(begun, smollmStructure, false).dialect.id, "whole");
  });

  it("says how a template treats its past", () => {
    assert.equal(choose(fixtureTemplate("granite-4.0"), []).template, "append-only");
    assert.equal(choose(fixtureTemplate("mistral-nemo-instruct"), []).template, "whole");
    const moving = "{% for m in messages %}{{ m.content }}|{% endfor %}";
    assert.equal(choose(moving, []).template, "append-only");
    const reversed =
      "{% for m in messages | reverse %}{{ m.content }}|{% endfor %}{% for m in messages %}{{ m.content }}{% endfor %}";
    assert.equal(choose(reversed, []).template, "whole");
  });

  it("takes ChatML for a file without a template that has the tokens, and refuses one that has not", () => {
    assert.equal(choose(null, smollmStructure).dialect.id, "chatml");
    assert.throws(() => choose(null, ["</s>"]), isBroken);
  });
});

function isBroken(error: unknown): boolean {
  return ApiError.isInstance(error) && error.code === "dialect_broken";
}
