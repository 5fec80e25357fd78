import { isJsonObject, type JsonObject, type JsonValue } from "@slipstream-stack/protocol";

/** Least and most characters of a string. */
export interface LengthLimits {
  readonly min: number;
  readonly max: number;
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

  /** The tightest limits of all places: a string within them fits whichever is meant. */
  limits(): LengthLimits {
    let [min, max] = [0, Number.POSITIVE_INFINITY];
    for (const { minLength, maxLength } of this.#schemas) {
      if (typeof minLength === "number") min = Math.max(min, minLength);
      if (typeof maxLength === "number") max = Math.min(max, maxLength);
    }
    return { min, max };
  }

  #step(step: (schema: JsonObject) => readonly (JsonValue | undefined)[]): SchemaPath {
    return new SchemaPath(this.#root, this.#schemas.flatMap(step));
  }
}
