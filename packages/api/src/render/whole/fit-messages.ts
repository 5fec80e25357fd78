import { canonicalJson, type JsonObject, tryParseJson } from "@slipstream-stack/protocol";
import { plainText, writeCall, writeResponse, writeToolBlock } from "../chatml/hermes-text.ts";
import type { StructureShield } from "./structure-shield.ts";
import type { TemplateAbilities } from "./template-abilities.ts";
import type { Entry } from "./template-messages.ts";
import type { TemplateMessage } from "./template-renderer.ts";

/** Says to the model that a user turn is really a system message its template has no place for. */
const systemMarker = "[system]\n";

/** A conversation in the form one template can show. */
export interface FittedConversation {
  readonly messages: readonly TemplateMessage[];
  readonly tools: readonly JsonObject[];
}

/**
 * Fits a conversation to what a template can show. What it has no place for becomes text of a turn it has:
 * system messages in the middle user turns with a marker, tools and calls the Hermes text that the parser
 * reads, turns of one role in a row a single turn. Deterministic, and the same for every longer conversation.
 */
export function fitMessages(
  instructions: string | null,
  tools: readonly JsonObject[],
  entries: readonly Entry[],
  abilities: TemplateAbilities,
  shield: StructureShield,
): FittedConversation {
  const declared = tools.map((tool) => shield.shieldValue(sortedKeys(tool)));
  const block = abilities.hermesTools || declared.length === 0 ? "" : toolBlock(declared);
  const rules = [instructions === null ? "" : shield.shield(instructions), block].filter(
    (part) => part !== "",
  );
  const drafts: TemplateMessage[] =
    rules.length === 0 ? [] : [{ role: "system", content: rules.join("\n\n") }];
  const writer = new MessageWriter(drafts, abilities, shield);
  for (const entry of entries) writer.add(entry);
  const placed = placeSystem(writer.messages(), abilities.system);
  const messages = abilities.alternates ? alternate(placed) : placed;
  return { messages, tools: abilities.hermesTools ? declared : [] };
}

class MessageWriter {
  readonly #messages: TemplateMessage[];
  readonly #abilities: TemplateAbilities;
  readonly #shield: StructureShield;
  #thought: string | null = null;
  /** Whether the last message is a user turn of results, which takes more of them. */
  #inResults = false;

  constructor(messages: TemplateMessage[], abilities: TemplateAbilities, shield: StructureShield) {
    this.#messages = messages;
    this.#abilities = abilities;
    this.#shield = shield;
  }

  messages(): readonly TemplateMessage[] {
    return this.#messages;
  }

  add(entry: Entry): void {
    const results = entry.kind === "result" && !this.#abilities.hermesTools;
    if (entry.kind === "thought") this.#thought = this.#shield.shield(entry.text);
    else if (entry.kind === "call") this.#addCall(this.#shield.shield(entry.name), entry.arguments);
    else if (entry.kind === "tools") this.#push("system", toolBlock(this.#shielded(entry.tools)));
    else if (entry.kind === "result") this.#addResult(this.#shield.shield(entry.text));
    else this.#push(entry.kind, this.#shield.shield(entry.text));
    this.#inResults = results;
  }

  #shielded(tools: readonly JsonObject[]): JsonObject[] {
    return tools.map((tool) => this.#shield.shieldValue(sortedKeys(tool)));
  }

  #push(role: TemplateMessage["role"], content: string): void {
    const thought = role === "assistant" ? this.#takeThought() : {};
    this.#messages.push({ role, content, ...thought });
  }

  #takeThought(): { reasoning_content?: string } {
    const thought = this.#thought;
    this.#thought = null;
    return thought === null || !this.#abilities.thinks ? {} : { reasoning_content: thought };
  }

  #addCall(name: string, args: JsonObject | string): void {
    const last = this.#messages.at(-1);
    const continued = last?.role === "assistant" && this.#thought === null ? last : null;
    if (continued === null) this.#push("assistant", "");
    const open = this.#messages.pop();
    if (open === undefined) return;
    if (this.#abilities.hermesTools) {
      const shielded = typeof args === "string" ? this.#shield.shield(args) : this.#shield.shieldValue(args);
      const call = { type: "function" as const, function: { name, arguments: shielded } };
      this.#messages.push({ ...open, tool_calls: [...(open.tool_calls ?? []), call] });
      return;
    }
    const text = this.#shield.shield(typeof args === "string" ? args : canonicalJson(args));
    const written = plainText((out) => writeCall(out, name, text, "closed"));
    this.#messages.push({ ...open, content: open.content === "" ? written : `${open.content}\n${written}` });
  }

  #addResult(text: string): void {
    if (this.#abilities.hermesTools) {
      this.#push("tool", text);
      return;
    }
    const written = plainText((out) => writeResponse(out, text));
    const last = this.#messages.at(-1);
    if (!this.#inResults || last === undefined) this.#push("user", written);
    else this.#messages[this.#messages.length - 1] = { ...last, content: `${last.content}\n${written}` };
  }
}

function sortedKeys(tool: JsonObject): JsonObject {
  return tryParseJson(canonicalJson(tool)) as JsonObject;
}

/** The Hermes block for tools that are already declarations. */
function toolBlock(declared: readonly JsonObject[]): string {
  return plainText((out) => writeToolBlock(out, declared));
}

function placeSystem(
  messages: readonly TemplateMessage[],
  place: TemplateAbilities["system"],
): readonly TemplateMessage[] {
  if (place === "anywhere") return messages;
  const firstOther = messages.findIndex((message) => message.role !== "system");
  const leading = place === "none" ? 0 : firstOther === -1 ? messages.length : firstOther;
  const rest = messages.slice(leading).map((message): TemplateMessage => {
    return message.role === "system" ? { role: "user", content: systemMarker + message.content } : message;
  });
  if (leading === 0) return rest;
  const rules = messages.slice(0, leading).map((message) => message.content);
  return [{ role: "system", content: rules.join("\n\n") }, ...rest];
}

/** One turn for several of the same role, and a user turn first. */
function alternate(messages: readonly TemplateMessage[]): readonly TemplateMessage[] {
  const merged: TemplateMessage[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (last === undefined || last.role !== message.role || message.role === "tool") {
      merged.push(message);
      continue;
    }
    const calls = [...(last.tool_calls ?? []), ...(message.tool_calls ?? [])];
    const content = [last.content, message.content].filter((text) => text !== "").join("\n\n");
    merged[merged.length - 1] = {
      ...last,
      ...message,
      content,
      ...(calls.length > 0 && { tool_calls: calls }),
    };
  }
  const first = merged.findIndex((message) => message.role !== "system");
  if (first !== -1 && merged[first]?.role === "assistant")
    merged.splice(first, 0, { role: "user", content: "" });
  return merged;
}
