import {
  type Item,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  tryParseJson,
} from "@slipstream-stack/protocol";
import type { SeededRandom } from "@slipstream-stack/testkit";

/**
 * An item as a client may send it back that keeps its history in a form of its own: other key order, no ids, and
 * call arguments parsed and printed again with other white space. It means the same.
 */
export function resentItem(item: Item, random: SeededRandom): Item {
  const { id: _, status: __, ...kept } = item as Item & JsonObject;
  const changed = shuffledKeys(kept as JsonObject, random) as JsonObject;
  if (typeof changed.arguments === "string") {
    const value = tryParseJson(changed.arguments);
    if (value !== undefined)
      changed.arguments = JSON.stringify(shuffledKeys(value, random), null, random.below(5));
  }
  return changed as Item;
}

function shuffledKeys(value: JsonValue, random: SeededRandom): JsonValue {
  if (Array.isArray(value)) return value.map((entry) => shuffledKeys(entry, random));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(
    ([key, entry]) => [random.next(), key, shuffledKeys(entry, random)] as const,
  );
  entries.sort(([left], [right]) => left - right);
  return Object.fromEntries(entries.map(([, key, entry]) => [key, entry]));
}
