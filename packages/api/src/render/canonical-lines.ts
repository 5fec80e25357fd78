import { canonicalJson, isJsonObject, tryParseJson } from "@slipstream-stack/protocol";

/** A text whose lines of JSON are in canonical form: templates space and order them in their own way. */
export function withCanonicalLines(text: string): string {
  const canonical = (line: string): string => {
    const value = line.startsWith("{") ? tryParseJson(line) : undefined;
    return isJsonObject(value) ? canonicalJson(value) : line;
  };
  return text.split("\n").map(canonical).join("\n");
}
