import { isJsonObject, type JsonObject, type JsonValue } from "@slipstream-stack/protocol";
import { GrammarRefused } from "./grammar-refused.ts";
import { jsonSafePattern } from "./json-safe-pattern.ts";
import { mergedSchema } from "./merged-schema.ts";
import { isEmptyRange, numberLimits } from "./number-limits.ts";

const mapsOfSchemas = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const listsOfSchemas = ["anyOf", "oneOf", "allOf", "prefixItems"];
const singleSchemas = ["items", "additionalProperties", "unevaluatedProperties", "contains", "propertyNames"];
/** What `ValueLimits` sees to. */
const limits = ["minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];
const opensObject = ["properties", "patternProperties", "additionalProperties", "unevaluatedProperties"];

function anySchema(value: JsonValue, root: JsonObject): JsonValue {
  if (Array.isArray(value)) return value.map((member) => anySchema(member, root));
  return isJsonObject(value) ? grammarSchema(value, root) : value;
}

function admits(schema: JsonObject, type: string): boolean {
  const types = schema.type;
  return types === type || (Array.isArray(types) && types.includes(type));
}

/** XGrammar writes these names into its grammar without escaping them. */
function checkNames(properties: JsonObject): void {
  for (const name of Object.keys(properties)) {
    if (JSON.stringify(name) === `"${name}"`) continue;
    throw new GrammarRefused(`A property name with quotes, backslashes or control characters: ${name}`);
  }
}

function checkLimits(schema: JsonObject): void {
  const { minLength, maxLength } = schema;
  const noLength = typeof minLength === "number" && typeof maxLength === "number" && minLength > maxLength;
  if (noLength || isEmptyRange(numberLimits(schema))) {
    throw new GrammarRefused("No value is within the limits of the schema.");
  }
}

/**
 * The schema to compile in XGrammar's strict mode, which admits nothing that a schema does not name: an object
 * that names its properties stays closed unless it says otherwise (a model asked for arguments must not invent
 * more), while an object or array that says nothing about its members is opened, as JSON Schema means it.
 *
 * `root` is the schema that references are meant in.
 *
 * Three things XGrammar gets wrong are taken from it. Its strings of a given length hold no escapes, do hold raw
 * control characters, and take seconds to compile; its ranges of numbers admit numbers outside them: both are left
 * to `ValueLimits`. Its patterns match raw
 * JSON text: they are rewritten so that what they match is what stands between the quotes.
 *
 * @throws GrammarRefused for a property name that XGrammar cannot write, and for limits that nothing meets.
 */
export function grammarSchema(original: JsonObject, root = original): JsonObject {
  const schema = mergedSchema(original, root);
  checkLimits(schema);
  const result: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (limits.includes(key)) continue;
    if (key === "properties" && isJsonObject(value)) checkNames(value);
    if (mapsOfSchemas.includes(key) && isJsonObject(value)) {
      result[key] = Object.fromEntries(
        Object.entries(value).map(([name, member]) => [
          key === "patternProperties" ? jsonSafePattern(name) : name,
          anySchema(member, root),
        ]),
      );
    } else if (listsOfSchemas.includes(key) || singleSchemas.includes(key)) {
      result[key] = anySchema(value, root);
    } else {
      result[key] = key === "pattern" && typeof value === "string" ? jsonSafePattern(value) : value;
    }
  }
  if (admits(schema, "object") && !opensObject.some((key) => Object.hasOwn(schema, key))) {
    result.additionalProperties = true;
  }
  const array = ["items", "prefixItems", "unevaluatedItems"];
  if (admits(schema, "array") && !array.some((key) => Object.hasOwn(schema, key))) result.items = {};
  return result;
}
