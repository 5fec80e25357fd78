import { isJsonObject, type JsonObject, type JsonValue } from "@slipstream-stack/protocol";

/** Most `allOf` within `allOf` that is merged: a schema may contain itself. */
const maxDepth = 8;

function list(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : value === undefined ? [] : [value];
}

function bothProperties(left: JsonObject, right: JsonObject): JsonObject {
  const result: JsonObject = { ...left };
  for (const [name, value] of Object.entries(right)) {
    const other = Object.hasOwn(left, name) ? left[name] : undefined;
    result[name] = isJsonObject(other) && isJsonObject(value) ? both(other, value) : value;
  }
  return result;
}

/** A schema for what fits both. Where keywords contradict each other the right one stands. */
function both(left: JsonObject, right: JsonObject): JsonObject {
  const result: JsonObject = { ...left, ...right };
  const [ours, theirs] = [left.properties, right.properties];
  if (isJsonObject(ours) && isJsonObject(theirs)) result.properties = bothProperties(ours, theirs);
  if (Array.isArray(left.required) && Array.isArray(right.required)) {
    result.required = [...new Set([...left.required, ...right.required])];
  }
  const [types, otherTypes] = [list(left.type), list(right.type)];
  const common = types.filter((type) => otherTypes.includes(type));
  const [first] = common;
  if (first !== undefined) result.type = common.length === 1 ? first : common;
  return result;
}

function resolved(schema: JsonValue, definitions: JsonObject): JsonValue | undefined {
  if (!isJsonObject(schema)) return undefined;
  const { $ref, ...siblings } = schema;
  if (typeof $ref !== "string") return schema;
  const [, kind, name] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec($ref) ?? [];
  const found = isJsonObject(definitions[kind ?? ""]) ? definitions[kind ?? ""] : undefined;
  const target = isJsonObject(found) ? found[name ?? ""] : undefined;
  return isJsonObject(target) ? both(target, siblings) : undefined;
}

/** Keywords that say nothing of which values fit. */
const notes = [
  "title",
  "description",
  "default",
  "examples",
  "$schema",
  "$id",
  "$comment",
  "$defs",
  "definitions",
  "deprecated",
];

function isBare(schema: JsonObject): boolean {
  return Object.keys(schema).every((key) => notes.includes(key));
}

/**
 * One place of a schema with its combiners applied to what stands beside them, as XGrammar takes one keyword and
 * ignores the others: `allOf` becomes one schema, `anyOf` and `oneOf` get into each of their branches what is
 * beside them. `root` holds the definitions that references mean; one that cannot be followed leaves its place as
 * it is.
 */
export function mergedSchema(schema: JsonObject, root: JsonObject, depth = 0): JsonObject {
  const { allOf, ...rest } = schema;
  if (Array.isArray(allOf) && depth < maxDepth) {
    const members = allOf.map((member) => resolved(member, root));
    if (!members.every(isJsonObject)) return schema;
    return mergedSchema(members.reduce(both, rest), root, depth + 1);
  }
  const key = Array.isArray(schema.anyOf) ? "anyOf" : "oneOf";
  const { [key]: branches, ...beside } = schema;
  if (!Array.isArray(branches) || isBare(beside)) return schema;
  const members = branches.map((branch) => resolved(branch, root));
  if (!members.every(isJsonObject)) return schema;
  const { $defs, definitions, ...base } = beside;
  return {
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
    [key]: members.map((member) => both(base, member)),
  };
}
