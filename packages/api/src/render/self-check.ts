import { contentText, type Item, isKnownItem } from "@slipstream-stack/protocol";
import { thoughtText } from "./chatml/chatml-turns.ts";
import { toolDeclaration } from "./chatml/hermes-text.ts";
import { flattenTools } from "./flatten-tools.ts";
import { StructureGuard } from "./guard-structure.ts";
import {
  changedRules,
  instructedTalk,
  type ProbeConversation,
  plainTalk,
  thoughtfulTalk,
  toolTalk,
} from "./probe-conversations.ts";
import { fitMessages } from "./whole/fit-messages.ts";
import { StructureShield } from "./whole/structure-shield.ts";
import type { TemplateAbilities } from "./whole/template-abilities.ts";
import { readConversation } from "./whole/template-messages.ts";
import type { TemplateRenderer } from "./whole/template-renderer.ts";

/**
 * How a template treats what it has shown before: `append-only` never rewrites what an item said,
 * `rewinding` rewrites at most back to the last user message, `whole` further back or fails.
 */
export type TemplateKind = "append-only" | "rewinding" | "whole";

/** The first `count` items of a conversation in a template's own rendering, or null where it fails. */
export function renderByTemplate(
  renderer: TemplateRenderer,
  abilities: TemplateAbilities,
  conversation: ProbeConversation,
  count: number,
  generationPrompt: boolean,
): string | null {
  const { instructions } = conversation;
  const tools = flattenTools(conversation.tools);
  const items = conversation.items.slice(0, count);
  const { entries } = readConversation({ instructions, tools }, items, () => null);
  const shield = new StructureShield(new StructureGuard([]), []);
  const fitted = fitMessages(instructions, tools.map(toolDeclaration), entries, abilities, shield);
  return renderer.tryRender({ ...fitted, generationPrompt });
}

/** Renders growing conversations through the template and looks at what each further item changes. */
export function classifyTemplate(renderer: TemplateRenderer, abilities: TemplateAbilities): TemplateKind {
  const conversations = [plainTalk, instructedTalk, changedRules, toolTalk];
  if (abilities.thinks) conversations.push(thoughtfulTalk);
  const kinds = conversations.map((conversation) => classify(renderer, abilities, conversation));
  if (kinds.includes("whole")) return "whole";
  return kinds.includes("rewinding") ? "rewinding" : "append-only";
}

function classify(
  renderer: TemplateRenderer,
  abilities: TemplateAbilities,
  conversation: ProbeConversation,
): TemplateKind {
  let kind: TemplateKind = "append-only";
  let before = "";
  for (let count = 1; count <= conversation.items.length; count += 1) {
    const text = renderByTemplate(renderer, abilities, conversation, count, false);
    if (text === null) return "whole";
    const shared = sharedLength(before, text);
    if (count > 1 && shared < endOf(before, conversation.items.slice(0, count - 1))) {
      const turn = conversation.items.slice(0, count - 1).findLastIndex(isUserMessage);
      if (shared < endOf(before, conversation.items.slice(0, turn + 1))) return "whole";
      kind = "rewinding";
    }
    before = text;
  }
  return kind;
}

/** Where the text of the last item that shows ends in a rendering. */
function endOf(text: string, items: readonly Item[]): number {
  for (const item of items.toReversed()) {
    const shown = itemText(item);
    const at = shown === "" ? -1 : text.lastIndexOf(shown);
    if (at !== -1) return at + shown.length;
  }
  return 0;
}

function itemText(item: Item): string {
  if (!isKnownItem(item)) return "";
  if (item.type === "message") return contentText(item.content);
  if (item.type === "reasoning") return thoughtText(item);
  if (item.type === "function_call_output") return contentText(item.output);
  return item.type === "function_call" ? (/[a-z]+\.txt/.exec(item.arguments)?.[0] ?? "") : "";
}

function isUserMessage(item: Item): boolean {
  return isKnownItem(item) && item.type === "message" && item.role === "user";
}

function sharedLength(left: string, right: string): number {
  let length = 0;
  while (length < left.length && left[length] === right[length]) length += 1;
  return length;
}
