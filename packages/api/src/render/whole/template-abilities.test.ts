import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fixtureTemplate, strictTemplate } from "../testing/templates.ts";
import { probeTemplate, type TemplateAbilities } from "./template-abilities.ts";
import { TemplateRenderer } from "./template-renderer.ts";

const probe = (template: string): TemplateAbilities =>
  probeTemplate(new TemplateRenderer(template, { beginOfText: "<s>", endOfText: "</s>" }));
const nothing: TemplateAbilities = {
  system: "anywhere",
  hermesTools: false,
  alternates: false,
  opensThought: false,
  thinks: false,
};

describe("template abilities", () => {
  const cases: readonly (readonly [string, string, Partial<TemplateAbilities>])[] = [
    ["SmolLM2", fixtureTemplate("smollm2-instruct"), {}],
    ["Qwen 2.5", fixtureTemplate("qwen2.5-instruct"), { hermesTools: true }],
    ["Qwen 3", fixtureTemplate("qwen3"), { hermesTools: true, thinks: true }],
    ["Granite 4", fixtureTemplate("granite-4.0"), { hermesTools: true }],
    ["Mistral Nemo", fixtureTemplate("mistral-nemo-instruct"), { system: "first", alternates: true }],
    ["two strict roles", strictTemplate, { system: "none", alternates: true }],
    [
      "an opened thought",
      "{% for m in messages %}{{ m.content }};{% endfor %}{% if add_generation_prompt %}<think>\n{% endif %}",
      { opensThought: true, thinks: true },
    ],
    [
      "system text that vanishes",
      "{% for m in messages %}{% if m.role != 'system' %}{{ m.content }};{% endif %}{% endfor %}",
      { system: "none" },
    ],
    [
      "tools it runs over unasked",
      "{% for t in tools %}{{ t }}{% endfor %}{% for m in messages %}{{ m.content }};{% endfor %}",
      {},
    ],
  ];
  for (const [name, template, expected] of cases) {
    it(`finds out ${name}`, () => assert.deepEqual(probe(template), { ...nothing, ...expected }));
  }
});
