import type { TextSegment } from "@slipstream-stack/inference";

/** Length in UTF-16 units of the last code point of a text. */
function lastCodePointLength(text: string): number {
  const low = text.charCodeAt(text.length - 1);
  const high = text.charCodeAt(text.length - 2);
  return low >= 0xdc00 && low <= 0xdfff && high >= 0xd800 && high <= 0xdbff ? 2 : 1;
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
}

/**
 * Keeps structure out of plain text. Text is cut inside every string that is a structural token of the
 * vocabulary (control and user-defined alike); the pieces, each tokenized on its own, cannot produce it.
 * Tokens of white space alone carry no structure (some vocabularies define runs of spaces), and one of a
 * single code point has no inside: neither is cut.
 */
export class StructureGuard {
  readonly #tokens: ReadonlySet<string>;
  readonly #pattern: RegExp | null;
  readonly #splitter: RegExp | null;

  /** @param tokens texts of the vocabulary's structural tokens */
  constructor(tokens: Iterable<string>) {
    this.#tokens = new Set(tokens);
    const guarded = [...this.#tokens]
      .filter((token) => token.trim() !== "" && token.length > lastCodePointLength(token))
      // Shortest first: a cut inside a token is also inside every longer one that starts at the same place.
      .sort((left, right) => left.length - right.length || (left < right ? -1 : 1));
    this.#pattern = guarded.length === 0 ? null : new RegExp(guarded.map(escapeRegExp).join("|"), "g");
    const longestFirst = guarded.toReversed().map(escapeRegExp).join("|");
    this.#splitter = guarded.length === 0 ? null : new RegExp(`(${longestFirst})`, "g");
  }

  /** Whether a text is exactly one structural token. */
  has(text: string): boolean {
    return this.#tokens.has(text);
  }

  /** The structural tokens, in a stable order. */
  tokens(): string[] {
    return [...this.#tokens].sort();
  }

  /** The text in pieces, none of which contains a guarded token; joined they are the text. */
  cut(text: string): string[] {
    const pieces: string[] = [];
    let from = 0;
    for (const { start, end } of this.#occurrences(text)) {
      // The latest cut serves the most occurrences (interval stabbing by earliest end).
      if (from > start) continue;
      const at = end - lastCodePointLength(text.slice(start, end));
      pieces.push(text.slice(from, at));
      from = at;
    }
    pieces.push(text.slice(from));
    return pieces;
  }

  /** A rendering that holds real structure, split at its tokens, the longest first where several fit. */
  split(text: string): TextSegment[] {
    const parts = this.#splitter === null ? [text] : text.split(this.#splitter);
    return parts
      .map((part, index) => ({ text: part, special: index % 2 === 1 }))
      .filter((segment) => segment.text !== "");
  }

  /** Where guarded tokens stand, overlapping ones too, by their end. */
  #occurrences(text: string): { start: number; end: number }[] {
    if (this.#pattern === null) return [];
    const found: { start: number; end: number }[] = [];
    this.#pattern.lastIndex = 0;
    for (let match = this.#pattern.exec(text); match !== null; match = this.#pattern.exec(text)) {
      found.push({ start: match.index, end: match.index + match[0].length });
      this.#pattern.lastIndex = match.index + 1;
    }
    return found.sort((left, right) => left.end - right.end || left.start - right.start);
  }
}
