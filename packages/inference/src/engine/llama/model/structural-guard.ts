/**
 * Cuts plain text so that no user-defined token can come out of it: llama.cpp matches those even with
 * `parse_special` off. Each occurrence is cut after its first character, and so never reaches the tokenizer whole.
 */
export class StructuralGuard {
  readonly #pattern: RegExp | null;

  constructor(texts: Iterable<string>) {
    // Longest first, so that a token that contains another is seen; a text of one character cannot be cut.
    const sorted = [...texts].filter((text) => [...text].length > 1).sort((a, b) => b.length - a.length);
    this.#pattern = sorted.length === 0 ? null : new RegExp(sorted.map(escapePattern).join("|"), "u");
  }

  /** The pieces of `text`, in order; joined they are `text`. */
  cut(text: string): string[] {
    if (this.#pattern === null) return [text];
    const parts: string[] = [];
    let rest = text;
    for (;;) {
      const match = this.#pattern.exec(rest);
      if (match === null) break;
      const end = match.index + firstCharacter(match[0]).length;
      parts.push(rest.slice(0, end));
      rest = rest.slice(end);
    }
    parts.push(rest);
    return parts.filter((part) => part !== "");
  }
}

function firstCharacter(text: string): string {
  return String.fromCodePoint(text.codePointAt(0) ?? 0);
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/gu, "\\$&");
}
