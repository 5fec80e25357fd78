import { WireError } from "@slipstream-stack/protocol";
import { JsonScanner } from "./json-scanner.ts";

/** A top-level member of a JSON object, its value as raw text. */
interface RawMember {
  readonly key: string;
  readonly raw: string;
}

/**
 * Cuts the text of a JSON object into its top-level members without parsing their values.
 *
 * @throws WireError `invalid_json` where the text is not one JSON object, `invalid_value` with `param` where
 *   a member stands twice (which of the two is meant cannot be known).
 */
export function splitMembers(text: string, maxDepth: number): Map<string, string> {
  const scanner = new JsonScanner(text, maxDepth);
  const members = new Map<string, string>();
  scanner.whitespace();
  if (!scanner.takes(0x7b)) scanner.fail("a JSON object is expected");
  scanner.whitespace();
  let open = !scanner.takes(0x7d);
  while (open) {
    const { key, raw } = nextMember(scanner, text);
    if (members.has(key)) {
      throw new WireError("invalid_value", `The member "${key}" stands twice; send it once.`, { param: key });
    }
    members.set(key, raw);
    scanner.whitespace();
    open = scanner.takes(0x2c);
    if (!open && !scanner.takes(0x7d)) scanner.fail('a comma or "}" is expected');
  }
  scanner.whitespace();
  if (scanner.at < text.length) scanner.fail("something follows the end of the object");
  return members;
}

function nextMember(scanner: JsonScanner, text: string): RawMember {
  const key = scanner.key();
  scanner.whitespace();
  const start = scanner.at;
  scanner.value();
  return { key, raw: text.slice(start, scanner.at) };
}
