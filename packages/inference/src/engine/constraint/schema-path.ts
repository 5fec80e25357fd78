import { isJsonObject, type JsonObject, type JsonValue } from "@slipstream-stack/protocol";
import {
  bothNumberLimits,
  isEmptyRange,
  limitsNumbers,
  type NumberLimits,
  numberLimits,
} from "./number-limits.ts";

/** Least and most characters of a string. */
export interface LengthLimits {
  readonly min: number;
  readonly max: number;
}

const numberKeywords = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];

/** Whether a place is of one of these types, or of none but with a keyword of theirs. */
function allows(schema: JsonObject, types: readonly string[], keywords: readonly string[]): boolean {
  const { type } = schema;
  if (type === undefined) return keywords.some((keyword) => Object.hasOwn(schema, keyword));
  return types.some((one) => (Array.isArray(type) ? type.includes(one) : type === one));
}

const combiners = ["anyOf", "oneOf", "allOf"];

/** What a local reference points to. */
function referenced(root: JsonObject, reference: string): JsonValue | undefined {
  if (!reference.startsWith("#")) return undefined;
  let at: JsonValue | undefined = root;
  for (const part of decodeURIComponent(reference.slice(1)).split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    at = isJsonObject(at) ? at[key] : Array.isArray(at) ? at[Number(key)] : undefined;
  }
  return at;
}

/** The places of a schema that a value may be at, given where it stands in the JSON text. */
export class SchemaPath {
  readonly #root: JsonObject;
  readonly #schemas: readonly JsonObject[];

  private constructor(root: JsonObject, starts: readonly (JsonValue | undefined)[]) {
    this.#root = root;
    const seen = new Set<JsonObject>();
    const open = [...starts];
    while (open.length > 0) {
      const schema = open.pop();
      if (!isJsonObject(schema) || seen.has(schema)) continue;
      seen.add(schema);
      const { $ref } = schema;
      if (typeof $ref === "string") open.push(referenced(root, $ref));
      for (const key of combiners) {
        const members = schema[key];
        if (Array.isArray(members)) open.push(...members);
      }
    }
    this.#schemas = [...seen];
  }

  static root(schema: JsonObject): SchemaPath {
    return new SchemaPath(schema, [schema]);
  }

  member(name: string): SchemaPath {
    return this.#step(({ properties, patternProperties, additionalProperties }) => {
      if (isJsonObject(properties) && Object.hasOwn(properties, name)) return [properties[name]];
      const patterned = isJsonObject(patternProperties) ? Object.values(patternProperties) : [];
      return [...patterned, additionalProperties];
    });
  }

  item(index: number): SchemaPath {
    return this.#step(({ prefixItems, items }) => [
      Array.isArray(prefixItems) && index < prefixItems.length ? prefixItems[index] : items,
    ]);
  }

  /**
   * Limits of a string here, any of which must hold; none where all lengths are right. Where a string may be at
   * several places at once (`anyOf`), it keeps to what all of them allow, if there is such a length.
   */
  lengths(): readonly LengthLimits[] {
    const places = this.#schemas.filter((schema) => allows(schema, ["string"], ["minLength", "maxLength"]));
    const limits = places.map(({ minLength, maxLength }) => ({
      min: typeof minLength === "number" ? minLength : 0,
      max: typeof maxLength === "number" ? maxLength : Number.POSITIVE_INFINITY,
    }));
    const min = Math.max(...limits.map((one) => one.min));
    const max = Math.min(...limits.map((one) => one.max));
    if (min > max) return limits;
    return min > 0 || max < Number.POSITIVE_INFINITY ? [{ min, max }] : [];
  }

  /** Limits of a number here, in the same way. */
  numbers(): readonly NumberLimits[] {
    const places = this.#schemas.filter((schema) => allows(schema, ["number", "integer"], numberKeywords));
    const limits = places.map(numberLimits);
    if (limits.length === 0) return [];
    const all = limits.reduce(bothNumberLimits);
    if (isEmptyRange(all)) return limits;
    return limitsNumbers(all) ? [all] : [];
  }

  #step(step: (schema: JsonObject) => readonly (JsonValue | undefined)[]): SchemaPath {
    return new SchemaPath(this.#root, this.#schemas.flatMap(step));
  }
}
