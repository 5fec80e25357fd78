import { canonicalJson, type JsonValue, type RequestSettings, type Tool } from "@slipstream-stack/protocol";

/**
 * The settings of a request as they travel: one JSON text per field, in a fixed order, made once. `store` is
 * apart because it belongs to one request and is never inherited.
 */
export interface FrozenSettings {
  /** `[name, canonical JSON]`, sorted by name. */
  readonly fields: readonly (readonly [string, string])[];
  /** `"name":json` joined with commas. */
  readonly json: string;
  /** Bytes of `json` in UTF-8. */
  readonly bytes: number;
  readonly store: boolean;
}

export interface RequestSettingsInput {
  readonly settings: RequestSettings;
  /** Whether the server keeps the responses. */
  readonly store: boolean;
}

function toolOrder(left: Tool, right: Tool): number {
  const [first, second] = [toolSortKey(left), toolSortKey(right)];
  return first < second ? -1 : first > second ? 1 : 0;
}

/** Compared by code unit: a locale's collation would give another order on another machine. */
function toolSortKey(tool: Tool): string {
  const name = "name" in tool && typeof tool.name === "string" ? tool.name : "";
  return `${name}\u0000${tool.type}\u0000${canonicalJson(tool as unknown as JsonValue)}`;
}

/**
 * Freezes settings into bytes that depend on their value alone: neither the order in which tools were
 * registered nor the order of keys matters. Fields that are null or undefined do not travel.
 */
export function freezeSettings(input: RequestSettingsInput): FrozenSettings {
  const { tools, ...rest } = input.settings;
  const values: Record<string, unknown> = { ...rest };
  if (tools !== undefined && tools !== null) values.tools = [...tools].sort(toolOrder);
  const fields = Object.keys(values)
    .filter((name) => values[name] !== undefined && values[name] !== null)
    .sort()
    .map((name) => [name, canonicalJson(values[name] as JsonValue)] as const);
  const json = fields.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",");
  return Object.freeze({
    fields: Object.freeze(fields),
    json,
    bytes: Buffer.byteLength(json),
    store: input.store,
  });
}

/** The name of the first field in which two settings differ, or null where they are equal. */
export function changedField(left: FrozenSettings, right: FrozenSettings): string | null {
  if (left.store !== right.store) return "store";
  if (left.json === right.json) return null;
  const before = new Map(left.fields);
  for (const [name, json] of right.fields) {
    if (before.get(name) !== json) return name;
    before.delete(name);
  }
  return [...before.keys()][0] ?? null;
}
