import { type CustomTool, type FunctionTool, isKnownTool, type Tool } from "@slipstream-stack/protocol";
import type { RenderedTool } from "./rendered-tool.ts";
import { ToolScope } from "./tool-scope.ts";

/** Where a list of tools stands: in the head, or in an item that loads them. */
export type ToolPlace = "head" | "item";

const noParameters = { type: "object", properties: {} };
const customParameters = {
  type: "object",
  properties: { input: { type: "string" } },
  required: ["input"],
  additionalProperties: false,
};
const searchParameters = {
  type: "object",
  properties: { query: { type: "string" }, limit: { type: "integer" } },
  required: ["query"],
};

type Unnamed = Omit<RenderedTool, "renderedName">;

/** The name a tool has before collisions are settled: `name`, or `namespace__name`. */
export function plainRenderedName(namespace: string | null, name: string): string {
  return namespace === null ? name : `${namespace}__${name}`;
}

/**
 * Declared tools as the model sees them, in order: namespaces flattened to `namespace__name`, custom tools as
 * functions of one string, a client's `tool_search` as a function, other types left out. A name that another
 * tool of the list or of `scope` already bears gets `_2`, `_3`, …; a tool declared twice counts once, as it
 * was declared last. In the head, tools with `defer_loading` are left out where the client can search for
 * them; being in an item is what loads them.
 */
export function flattenTools(
  tools: readonly Tool[],
  scope: ToolScope = ToolScope.empty,
  place: ToolPlace = "head",
): RenderedTool[] {
  const searchable = place === "head" && tools.some(isClientSearch);
  const flattened: Unnamed[] = tools
    .flatMap((tool) => unnamed(tool))
    .filter((tool) => !(searchable && isDeferred(tool)));
  const named = new Map<string, RenderedTool>();
  for (const tool of flattened) {
    const renderedName = freeName(tool, named, scope);
    named.set(renderedName, { renderedName, ...tool });
  }
  return [...named.values()];
}

function freeName(tool: Unnamed, named: ReadonlyMap<string, RenderedTool>, scope: ToolScope): string {
  const plain = plainRenderedName(tool.namespace, tool.name);
  for (let count = 1; ; count += 1) {
    const candidate = count === 1 ? plain : `${plain}_${count}`;
    const holder = named.get(candidate) ?? scope.byRenderedName(candidate);
    if (holder === undefined || (holder.name === tool.name && holder.namespace === tool.namespace)) {
      return candidate;
    }
  }
}

function unnamed(tool: Tool): Unnamed[] {
  if (!isKnownTool(tool)) return isClientSearch(tool) ? [search(tool)] : [];
  if (tool.type !== "namespace") return [single(tool, null)];
  return tool.tools.map((inner) => single(inner, tool.name));
}

function single(tool: FunctionTool | CustomTool, namespace: string | null): Unnamed {
  const common = { name: tool.name, namespace, source: tool };
  if (tool.type === "custom") {
    return { ...common, kind: "custom", description: customDescription(tool), parameters: customParameters };
  }
  const parameters = tool.parameters ?? noParameters;
  return { ...common, kind: "function", description: tool.description ?? null, parameters };
}

/** The grammar is told to the model, which otherwise would have to guess the form of the input. */
function customDescription(tool: CustomTool): string | null {
  const format = tool.format;
  if (format?.type !== "grammar" || typeof format.definition !== "string") return tool.description ?? null;
  const syntax = typeof format.syntax === "string" ? `${format.syntax} ` : "";
  const rule = `\`input\` must match this ${syntax}grammar:\n${format.definition}`;
  return tool.description ? `${tool.description}\n\n${rule}` : rule;
}

function search(tool: Tool): Unnamed {
  const raw: Readonly<Record<string, unknown>> = tool;
  const parameters = raw.parameters;
  return {
    name: "tool_search",
    namespace: null,
    kind: "tool_search",
    description: typeof raw.description === "string" ? raw.description : null,
    parameters: isRecord(parameters) ? parameters : searchParameters,
    source: tool,
  };
}

function isClientSearch(tool: Tool): boolean {
  const raw: Readonly<Record<string, unknown>> = tool;
  return raw.type === "tool_search" && raw.execution === "client";
}

function isDeferred(tool: Unnamed): boolean {
  const raw: Readonly<Record<string, unknown>> = tool.source;
  return raw.defer_loading === true;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
