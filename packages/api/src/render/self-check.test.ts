import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { plainTalk, toolTalk } from "./probe-conversations.ts";
import { classifyTemplate, renderByTemplate, type TemplateKind } from "./self-check.ts";
import { fixtureTemplate, strictTemplate } from "./testing/templates.ts";
import { probeTemplate } from "./whole/template-abilities.ts";
import { TemplateRenderer } from "./whole/template-renderer.ts";

const renderer = (template: string): TemplateRenderer =>
  new TemplateRenderer(template, { beginOfText: "<s>", endOfText: "</s>" });

function kindOf(template: string): TemplateKind {
  const compiled = renderer(template);
  return classifyTemplate(compiled, probeTemplate(compiled));
}

const each = (body: string): string => `{% for m in messages %}${body}{% endfor %}`;

describe("self check", () => {
  const cases: readonly (readonly [string, string, TemplateKind])[] = [
    ["closes each turn at once", each("<{{ m.role }}>{{ m.content }}</>"), "append-only"],
    ["merges results into one turn, as Qwen 2.5 does", fixtureTemplate("qwen2.5-instruct"), "append-only"],
    ["is SmolLM2's", fixtureTemplate("smollm2-instruct"), "append-only"],
    ["knows two roles in strict turns", strictTemplate, "append-only"],
    ["drops thoughts once the user speaks again, as Qwen 3 does", fixtureTemplate("qwen3"), "rewinding"],
    [
      "moves the rules to the last user message, as Mistral's does",
      fixtureTemplate("mistral-nemo-instruct"),
      "whole",
    ],
    [
      "counts the messages at its top",
      `{{ messages | length }}${each("<{{ m.role }}>{{ m.content }}")}`,
      "whole",
    ],
    [
      "shortens answers of earlier turns",
      "{% set ns = namespace(last=0) %}{% for m in messages %}{% if m.role == 'user' %}{% set ns.last = loop.index0 %}{% endif %}{% endfor %}" +
        each(
          "{% if m.role == 'assistant' and loop.index0 < ns.last %}~{% else %}<{{ m.role }}>{{ m.content }}{% endif %}",
        ),
      "rewinding",
    ],
  ];
  for (const [name, template, kind] of cases) {
    it(`finds a template ${kind} that ${name}`, () => assert.equal(kindOf(template), kind));
  }

  it("shows a conversation in a template's own words, and null where it fails", () => {
    const chatml = renderer(fixtureTemplate("smollm2-instruct"));
    const text = renderByTemplate(
      chatml,
      probeTemplate(chatml),
      { ...plainTalk, instructions: "x" },
      1,
      true,
    );
    assert.equal(
      text,
      "<|im_start|>system\nx<|im_end|>\n<|im_start|>user\nalpha?<|im_end|>\n<|im_start|>assistant\n",
    );
    const fussy = renderer(
      each("{% if m.content == 'delta.' %}{{ raise_exception('no') }}{% endif %}{{ m.content }}"),
    );
    assert.equal(renderByTemplate(fussy, probeTemplate(fussy), toolTalk, toolTalk.items.length, false), null);
    assert.equal(
      kindOf(each("{% if m.content == 'delta.' %}{{ raise_exception('no') }}{% endif %}{{ m.content }}")),
      "whole",
    );
  });
});
