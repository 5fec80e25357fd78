import type { JsonValue } from "./json.ts";

/**
 * Serialises a JSON value in its one canonical form: keys sorted by UTF-16 code unit, no white space,
 * members that are `undefined` left out. Equal values give equal bytes whatever order their keys came in,
 * so this is the only serializer of tool schemas and of everything that is hashed.
 */
export function canonicalJson(value: JsonValue | undefined): string {
  if (value === undefined) return "null";
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const members: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const member = value[key];
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${canonicalJson(member)}`);
  }
  return `{${members.join(",")}}`;
}
