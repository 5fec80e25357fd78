import { readFileSync } from "node:fs";

/** A model's own template from the fixtures. */
export function fixtureTemplate(name: string): string {
  return readFileSync(new URL(`../fixtures/${name}.jinja`, import.meta.url), "utf8");
}

/** A template that knows user and model alone, in strict turns. */
export const strictTemplate = `{{ bos_token }}{% for message in messages %}
{%- if message['role'] == 'system' %}{{ raise_exception('no system') }}{% endif %}
{%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('no turns') }}{% endif %}
{{- '<start>' + ('model' if message['role'] == 'assistant' else message['role']) + '\\n' + message['content'] | trim + '<end>\\n' }}
{%- endfor %}{% if add_generation_prompt %}{{ '<start>model\\n' }}{% endif %}`;

/** A template that shows the tools and the date of today, and puts the last user's message elsewhere. */
export const volatileTemplate = `[{{ strftime_now('%d %b %Y') }}]{% for message in messages %}<{{ message.role }}>{{ message.content }}{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}`;
