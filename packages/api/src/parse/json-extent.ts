const quote = 0x22;
const backslash = 0x5c;
const opening = new Set([0x7b, 0x5b]);
const closing = new Set([0x7d, 0x5d]);
const tag = 0x3c;

/**
 * Finds where a JSON object or array ends while its bytes arrive, by brackets and strings alone: whether the
 * content is sound is for the reader of the value. Works on bytes since all of JSON's structure is ASCII.
 */
export class JsonExtent {
  #depth = 0;
  #inString = false;
  #escaped = false;

  /**
   * Reads on from `from`. Gives the index after the closing bracket, or of a `<` outside any string (never
   * JSON: a closing mark that came too early), or -1 where the end has not come yet.
   */
  scan(text: string, from: number): { end: number; closed: boolean } {
    for (let index = from; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (this.#inString) {
        this.#readString(code);
      } else if (code === quote) {
        this.#inString = true;
      } else if (opening.has(code)) {
        this.#depth += 1;
      } else if (closing.has(code)) {
        this.#depth -= 1;
        if (this.#depth === 0) return { end: index + 1, closed: true };
      } else if (code === tag) {
        return { end: index, closed: false };
      }
    }
    return { end: -1, closed: false };
  }

  #readString(code: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (code === backslash) this.#escaped = true;
    else if (code === quote) this.#inString = false;
  }
}
