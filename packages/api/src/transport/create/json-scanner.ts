import { WireError } from "@slipstream-stack/protocol";

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const hexPattern = /[0-9a-fA-F]{4}/y;
const simpleEscapes = new Set('"\\/bfnrt');

/**
 * Walks over JSON text (RFC 8259, strictly) without building values, so that members can be cut out by their
 * raw bytes and a fault has a position. Text that passes is sure to parse. Lone surrogates in escapes are
 * faults too: no UTF-8 text, and so no token, can stand for one. All faults throw `invalid_json`.
 */
export class JsonScanner {
  readonly #text: string;
  readonly #maxDepth: number;
  /** Index of the next character. */
  at = 0;

  constructor(text: string, maxDepth: number) {
    this.#text = text;
    this.#maxDepth = maxDepth;
  }

  /** Whether the next character is the given one; it is consumed then. */
  takes(code: number): boolean {
    if (this.#text.charCodeAt(this.at) !== code) return false;
    this.at += 1;
    return true;
  }

  whitespace(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.at += 1;
    }
  }

  /** Skips a member's key and colon; returns the key. */
  key(): string {
    this.whitespace();
    const start = this.at;
    if (this.#text.charCodeAt(start) !== quote) this.fail("a member name in double quotes is expected");
    this.#string();
    const raw = this.#text.slice(start, this.at);
    this.whitespace();
    if (!this.takes(colon)) this.fail("a colon is expected");
    return raw.includes("\\") ? (JSON.parse(raw) as string) : raw.slice(1, -1);
  }

  /** Skips one value of any kind and depth, with the white space before it. */
  value(): void {
    const closers: number[] = [];
    for (;;) {
      this.whitespace();
      if (this.#opens(closers)) continue;
      this.#closes(closers);
      if (closers.length === 0) return;
    }
  }

  /** Consumes a scalar or an opening bracket; true when a value has to follow before anything can close. */
  #opens(closers: number[]): boolean {
    const code = this.#text.charCodeAt(this.at);
    if (code !== openBrace && code !== openBracket) {
      this.#scalar(code);
      return false;
    }
    // The whole body is one level itself.
    if (closers.length + 1 >= this.#maxDepth) {
      this.fail(`values are nested deeper than ${this.#maxDepth} levels`);
    }
    this.at += 1;
    const closer = code === openBrace ? closeBrace : closeBracket;
    this.whitespace();
    if (this.takes(closer)) return false;
    closers.push(closer);
    if (closer === closeBrace) this.key();
    return true;
  }

  /** After a value: closes what ends here, or passes a comma. */
  #closes(closers: number[]): void {
    while (closers.length > 0) {
      const closer = closers.at(-1) as number;
      this.whitespace();
      if (this.takes(comma)) {
        if (closer === closeBrace) this.key();
        return;
      }
      if (!this.takes(closer)) this.fail(`a comma or "${String.fromCharCode(closer)}" is expected`);
      closers.pop();
    }
  }

  #scalar(code: number): void {
    if (code === quote) {
      this.#string();
      return;
    }
    for (const word of ["true", "false", "null"]) {
      if (!this.#text.startsWith(word, this.at)) continue;
      this.at += word.length;
      return;
    }
    numberPattern.lastIndex = this.at;
    if (!numberPattern.test(this.#text)) this.fail("a value is expected");
    this.at = numberPattern.lastIndex;
  }

  #string(): void {
    this.at += 1;
    for (;;) {
      const code = this.#text.charCodeAt(this.at);
      if (code === quote) {
        this.at += 1;
        return;
      }
      if (Number.isNaN(code)) this.fail("the text ends inside a string");
      if (code < 0x20) this.fail("a control character in a string has to be escaped");
      if (code === backslash) this.#escape();
      else this.at += 1;
    }
  }

  #escape(): void {
    const letter = this.#text[this.at + 1] ?? "";
    if (simpleEscapes.has(letter)) {
      this.at += 2;
      return;
    }
    const unit = this.#unicodeEscape();
    if (unit >= 0xdc00 && unit <= 0xdfff) this.fail("a lone low surrogate is not text", -6);
    if (unit < 0xd800 || unit > 0xdbff) return;
    const low = this.#text.startsWith("\\u", this.at) ? this.#unicodeEscape() : 0;
    if (low < 0xdc00 || low > 0xdfff) this.fail("a lone high surrogate is not text");
  }

  #unicodeEscape(): number {
    hexPattern.lastIndex = this.at + 2;
    if (this.#text[this.at + 1] !== "u" || !hexPattern.test(this.#text)) this.fail("an escape is malformed");
    const unit = Number.parseInt(this.#text.slice(this.at + 2, this.at + 6), 16);
    this.at += 6;
    return unit;
  }

  /** Throws `invalid_json` with the position. */
  fail(what: string, offset = 0): never {
    throw new WireError("invalid_json", `The body is not valid JSON: position ${this.at + offset}: ${what}.`);
  }
}
