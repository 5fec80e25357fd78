import { isJsonObject, type JsonObject, type JsonValue } from "@slipstream-stack/protocol";

/** How deep an instance may nest before optional structure is left out. */
const maxDepth = 12;

/** A small value that fits a JSON schema as agents' tools use it; `pick(n)` chooses one of n. */
export function schemaInstance(schema: JsonValue, pick: (count: number) => number): JsonValue {
  return instance(schema, { root: schema, pick, depth: 0 });
}

interface Context {
  readonly root: JsonValue;
  readonly pick: (count: number) => number;
  readonly depth: number;
}

const sampleWords = ["alpha", "beta", "gamma", "delta", "note", "main", "list", "value"];

function instance(schema: JsonValue, context: Context): JsonValue {
  if (!isJsonObject(schema) || context.depth > maxDepth * 4) return {};
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[context.pick(schema.enum.length)] ?? null;
  const deeper = { ...context, depth: context.depth + 1 };
  if (typeof schema.$ref === "string") return instance(resolve(schema.$ref, context.root), deeper);
  const union = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(union)) {
    const choices = context.depth < maxDepth ? union : union.slice(-1);
    const chosen = asObject(choices[context.pick(choices.length)]);
    return instance({ ...schema, anyOf: null, oneOf: null, ...chosen }, deeper);
  }
  if (Array.isArray(schema.allOf)) {
    return instance(schema.allOf.reduce<JsonObject>(merge, { ...schema, allOf: null }), deeper);
  }
  return ofType(schema, typeOf(schema, context), deeper);
}

function ofType(schema: JsonObject, type: string, context: Context): JsonValue {
  switch (type) {
    case "object":
      return objectInstance(schema, context);
    case "array":
      return arrayInstance(schema, context);
    case "string":
      return stringInstance(schema, context);
    case "integer":
    case "number":
      return numberInstance(schema, type, context);
    case "boolean":
      return context.pick(2) === 0;
    default:
      return null;
  }
}

function typeOf(schema: JsonObject, context: Context): string {
  const { type } = schema;
  if (typeof type === "string") return type;
  if (Array.isArray(type)) return String(type[context.pick(type.length)]);
  if (schema.properties !== undefined || schema.required !== undefined) return "object";
  if (schema.items !== undefined) return "array";
  return schema.minimum !== undefined || schema.maximum !== undefined ? "number" : "string";
}

function objectInstance(schema: JsonObject, context: Context): JsonObject {
  const properties = asObject(schema.properties);
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  const names = context.depth < maxDepth ? [...new Set([...Object.keys(properties), ...required])] : required;
  const value: JsonObject = {};
  for (const name of names) {
    if (!required.includes(name) && context.pick(2) === 0) continue;
    value[name] = instance(properties[name] ?? {}, context);
  }
  return value;
}

function arrayInstance(schema: JsonObject, context: Context): JsonValue[] {
  const least = numberOr(schema.minItems, 0);
  const most = numberOr(schema.maxItems, Math.max(least, 2));
  const count =
    context.depth < maxDepth
      ? least + context.pick(Math.max(1, Math.min(most, least + 2) - least + 1))
      : least;
  const prefix = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
  return Array.from({ length: count }, (_, index) => instance(prefix[index] ?? schema.items ?? {}, context));
}

function stringInstance(schema: JsonObject, context: Context): string {
  const word = sampleWords[context.pick(sampleWords.length)] ?? "value";
  const padded = word.padEnd(numberOr(schema.minLength, 0), "x");
  return padded.slice(0, numberOr(schema.maxLength, padded.length));
}

function numberInstance(schema: JsonObject, type: "integer" | "number", context: Context): number {
  const step = numberOr(schema.multipleOf, 1);
  const above = numberOr(schema.exclusiveMinimum, Number.NEGATIVE_INFINITY);
  const least = Math.max(numberOr(schema.minimum, Number.NEGATIVE_INFINITY), above);
  const below = numberOr(schema.exclusiveMaximum, Number.POSITIVE_INFINITY);
  const most = Math.min(numberOr(schema.maximum, Number.POSITIVE_INFINITY), below);
  const base = Number.isFinite(least) ? least : Math.min(0, most);
  let value = Math.ceil(base / step) * step;
  if (value <= above) value += step;
  const wanted = value + context.pick(10) * step;
  if (wanted < below && wanted <= most) return wanted;
  if (value <= most && value < below) return value;
  return type === "integer" ? Math.floor(most) : (Math.max(least, most - 1) + most) / 2;
}

function resolve(pointer: string, root: JsonValue): JsonValue {
  if (!pointer.startsWith("#")) return {};
  let at: JsonValue | undefined = root;
  for (const raw of pointer
    .slice(1)
    .split("/")
    .filter((part) => part !== "")) {
    const key = decodeURIComponent(raw).replaceAll("~1", "/").replaceAll("~0", "~");
    at = isJsonObject(at) ? at[key] : Array.isArray(at) ? at[Number(key)] : undefined;
  }
  return at ?? {};
}

function merge(into: JsonObject, part: JsonValue): JsonObject {
  const { properties, required, ...rest } = asObject(part);
  const merged: JsonObject = { ...into, ...rest };
  if (properties !== undefined) merged.properties = { ...asObject(into.properties), ...asObject(properties) };
  if (Array.isArray(required)) {
    merged.required = [...(Array.isArray(into.required) ? into.required : []), ...required];
  }
  return merged;
}

function asObject(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function numberOr(value: JsonValue | undefined, fallback: number): number {
  return typeof value === "number" ? value : fallback;
}
