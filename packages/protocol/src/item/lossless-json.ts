import { isJsonObject, type JsonValue } from "../json.ts";

/** Decimal digits that every double keeps. */
const keptDigits = 15;
/** Below this doubles lose digits, and then everything. */
const smallestNormal = 2.2250738585072014e-308;

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const minus = 0x2d;
const zero = 0x30;
const nine = 0x39;

/**
 * Whether a value keeps all that its JSON text said: no number that a double cannot hold, no key given twice.
 * One pass over the text, so that its length does not matter.
 */
export function isLosslessJson(text: string, value: JsonValue): boolean {
  const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
  let members = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (inString) {
      if (unit === backslash) index += 1;
      else inString = unit !== quote;
    } else if (unit === quote) inString = true;
    else if (unit === colon) members += 1;
    else if (unit === minus || (unit >= zero && unit <= nine)) {
      number.lastIndex = index;
      const [digits = ""] = number.exec(text) ?? [];
      if (!isKeptNumber(digits)) return false;
      index += Math.max(0, digits.length - 1);
    }
  }
  return members === countMembers(value);
}

function isKeptNumber(text: string): boolean {
  const digits = text
    .replace(/[eE].*$/, "")
    .replace(/[-.]/g, "")
    .replace(/^0+/, "");
  if (digits === "") return true;
  const value = Number(text);
  return digits.length <= keptDigits && Number.isFinite(value) && Math.abs(value) >= smallestNormal;
}

function countMembers(value: JsonValue): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, entry) => sum + countMembers(entry), 0);
  if (!isJsonObject(value)) return 0;
  return Object.values(value).reduce<number>((sum, entry) => sum + 1 + countMembers(entry), 0);
}
