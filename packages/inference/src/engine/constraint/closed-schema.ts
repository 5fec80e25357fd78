import type { JsonObject, JsonValue } from "@slipstream-stack/protocol";

const mapsOfSchemas = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const listsOfSchemas = ["anyOf", "oneOf", "allOf", "prefixItems"];
const singleSchemas = ["items", "additionalProperties", "unevaluatedProperties", "contains", "propertyNames"];
const opensObject = ["properties", "patternProperties", "additionalProperties", "unevaluatedProperties"];

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function closeAny(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(closeAny);
  return isObject(value) ? closedSchema(value) : value;
}

function admits(schema: JsonObject, type: string): boolean {
  const types = schema["type"];
  return types === type || (Array.isArray(types) && types.includes(type));
}

/**
 * The schema to compile in XGrammar's strict mode, which admits nothing that a schema does not name: an object
 * that names its properties stays closed unless it says otherwise (a model asked for arguments must not invent
 * more), while an object or array that says nothing about its members is opened, as JSON Schema means it. Every
 * text of the result's grammar is valid under `schema` too.
 */
export function closedSchema(schema: JsonObject): JsonObject {
  const result: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (value === undefined) continue;
    if (mapsOfSchemas.includes(key) && isObject(value)) {
      result[key] = Object.fromEntries(
        Object.entries(value).map(([name, member]) => [name, closeAny(member ?? null)]),
      );
    } else if (listsOfSchemas.includes(key) || singleSchemas.includes(key)) {
      result[key] = closeAny(value);
    } else {
      result[key] = value;
    }
  }
  if (admits(schema, "object") && !opensObject.some((key) => Object.hasOwn(schema, key))) {
    result["additionalProperties"] = true;
  }
  const array = ["items", "prefixItems", "unevaluatedItems"];
  if (admits(schema, "array") && !array.some((key) => Object.hasOwn(schema, key))) result["items"] = {};
  return result;
}
