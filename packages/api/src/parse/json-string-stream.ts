import { StreamingText } from "./byte-text.ts";

const simpleEscapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };

/** An escape, a pair of surrogate escapes, or an escape that is not finished yet, at the end of a text. */
const unfinished = /(?:\\u[dD][89abAB][0-9a-fA-F]{2}(?:\\(?:u[0-9a-fA-F]{0,3})?)?|\\(?:u[0-9a-fA-F]{0,3})?)$/;

/** Undoes the escapes of a JSON string's inside. Lenient: an unknown escape stands for its character. */
export function unescapeJson(text: string): string {
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (_whole, hex: string | undefined, simple: string) =>
    hex === undefined ? (simpleEscapes[simple] ?? simple) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/**
 * Reads the inside of a JSON string from its bytes as they come, up to the closing quote. Deltas never split
 * a character, an escape or a pair of surrogate escapes.
 */
export class JsonStringStream {
  readonly #text = new StreamingText();
  #held = "";
  #escaped = false;

  /** Reads on from `from`; `end` is the index of the closing quote, or -1. */
  read(binary: string, from: number): { text: string; end: number } {
    const end = this.#closingQuote(binary, from);
    const stretch = binary.slice(from, end === -1 ? undefined : end);
    const raw = this.#held + this.#text.write(stretch) + (end === -1 ? "" : this.#text.end());
    const keep = end === -1 ? holdFrom(raw) : raw.length;
    this.#held = raw.slice(keep);
    return { text: unescapeJson(raw.slice(0, keep)), end };
  }

  /** The string breaks off: what was held comes out as it stands. */
  finish(): string {
    const rest = this.#held + this.#text.end();
    this.#held = "";
    return unescapeJson(rest);
  }

  #closingQuote(binary: string, from: number): number {
    for (let index = from; index < binary.length; index += 1) {
      const char = binary[index];
      if (this.#escaped) this.#escaped = false;
      else if (char === "\\") this.#escaped = true;
      else if (char === '"') return index;
    }
    return -1;
  }
}

/** Where an unfinished escape begins. A backslash counts only if it is not itself escaped. */
function holdFrom(raw: string): number {
  const match = unfinished.exec(raw);
  if (match === null) return raw.length;
  let backslashes = 0;
  while (raw[match.index - 1 - backslashes] === "\\") backslashes += 1;
  if (backslashes % 2 === 0) return match.index;
  // The first backslash of the match is escaped: only what follows it can be unfinished.
  const rest = raw.slice(match.index + 1);
  const inner = unfinished.exec(rest);
  return inner === null ? raw.length : match.index + 1 + inner.index;
}
