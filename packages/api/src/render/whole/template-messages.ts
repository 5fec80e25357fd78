import {
  canonicalJson,
  contentText,
  type Item,
  isJsonObject,
  isKnownItem,
  type JsonObject,
  type JsonValue,
  type KnownItem,
  type Tool,
  tryParseJson,
} from "@slipstream-stack/protocol";
import type { OpenCompaction } from "../chatml/chatml-options.ts";
import { thoughtText } from "../chatml/chatml-turns.ts";
import { callArguments, toolDeclaration } from "../chatml/hermes-text.ts";
import type { HeadSettings } from "../dialect.ts";
import { flattenTools, plainRenderedName } from "../flatten-tools.ts";
import { foreignItemText } from "../foreign-items.ts";
import type { RenderedTool } from "../rendered-tool.ts";
import { ToolScope } from "../tool-scope.ts";

/** A conversation's entries before they are fitted to a template. */
export type Entry =
  | { readonly kind: "system" | "user" | "assistant" | "result" | "thought"; readonly text: string }
  | { readonly kind: "call"; readonly name: string; readonly arguments: JsonObject | string }
  | { readonly kind: "tools"; readonly tools: readonly JsonObject[] };

/** The entries of a whole conversation after its head, and the tools callable at its end. */
export interface Conversation {
  readonly entries: readonly Entry[];
  readonly scope: ToolScope;
}

/** Reads items into entries, as every dialect understands them: ids, status and metadata stay behind. */
export function readConversation(
  head: HeadSettings,
  items: readonly Item[],
  openCompaction: OpenCompaction,
): Conversation {
  const entries: Entry[] = [];
  let scope = ToolScope.empty.with(head.tools);
  for (const item of items) {
    const declared = declaredTools(item);
    if (declared === null) {
      entries.push(...itemEntries(item, scope, openCompaction));
      continue;
    }
    const tools = flattenTools(declared, scope, "item");
    if (item.type === "tool_search_output") entries.push({ kind: "result", text: namesOf(tools) });
    if (tools.length > 0) entries.push({ kind: "tools", tools: tools.map(toolDeclaration) });
    scope = scope.with(tools);
  }
  return { entries, scope };
}

function namesOf(tools: readonly RenderedTool[]): string {
  return canonicalJson({ tools: tools.map((tool) => tool.renderedName) });
}

function declaredTools(item: Item): readonly Tool[] | null {
  const raw: Readonly<Record<string, unknown>> = item;
  if (raw.type !== "additional_tools" && raw.type !== "tool_search_output") return null;
  return Array.isArray(raw.tools) ? (raw.tools as readonly Tool[]) : [];
}

function itemEntries(item: Item, scope: ToolScope, openCompaction: OpenCompaction): Entry[] {
  if (isKnownItem(item)) return knownEntries(item, scope, openCompaction);
  const raw: Readonly<Record<string, unknown>> = item;
  if (raw.type === "tool_search_call") {
    return [callEntry(scope, null, "tool_search", canonicalJson((raw.arguments ?? {}) as JsonValue))];
  }
  const foreign = foreignItemText(item);
  if (foreign === null) return [];
  return [{ kind: foreign.side === "call" ? "assistant" : "result", text: foreign.text }];
}

function knownEntries(item: KnownItem, scope: ToolScope, openCompaction: OpenCompaction): Entry[] {
  switch (item.type) {
    case "message": {
      const kind = item.role === "developer" ? "system" : item.role;
      return [{ kind, text: contentText(item.content) }];
    }
    case "reasoning": {
      const text = thoughtText(item);
      return text === "" ? [] : [{ kind: "thought", text }];
    }
    case "function_call":
      return [callEntry(scope, item.namespace ?? null, item.name, callArguments(item.arguments))];
    case "custom_tool_call":
      return [callEntry(scope, item.namespace ?? null, item.name, canonicalJson({ input: item.input }))];
    case "function_call_output":
    case "custom_tool_call_output":
      return [{ kind: "result", text: contentText(item.output) }];
    case "compaction": {
      const summary = openCompaction(item);
      return summary === null
        ? []
        : [{ kind: "system", text: `Summary of the conversation so far:\n${summary}` }];
    }
    case "additional_tools":
    case "item_reference":
      return [];
  }
}

function callEntry(scope: ToolScope, namespace: string | null, name: string, text: string): Entry {
  const renderedName = scope.find(namespace, name)?.renderedName ?? plainRenderedName(namespace, name);
  const value = tryParseJson(text);
  // Text that is not canonical could not be parsed without loss: templates get it as it stands.
  const lossless = isJsonObject(value) && canonicalJson(value) === text;
  return { kind: "call", name: renderedName, arguments: lossless ? value : text };
}
