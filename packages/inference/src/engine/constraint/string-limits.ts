import type { Vocabulary } from "../../port/tokenizer.ts";
import { emptyString, scanByte } from "./json-text-scan.ts";
import type { JsonTracker } from "./json-tracker.ts";
import { hasToken, removeToken } from "./token-set.ts";

const quote = 0x22;

/** Characters a token without quotes adds to a string, at most. */
function charsOf(piece: Uint8Array): number {
  let scan = emptyString;
  for (const byte of piece) scan = scanByte(scan, byte) ?? scan;
  return scan.chars + (scan.escape === "" ? 0 : 1);
}

/**
 * Keeps strings within `minLength` and `maxLength` by narrowing the masks of a grammar that leaves lengths open.
 * Tokens with a quote, which can end a string or begin one, are tried on a copy of the tracker; for all others
 * it is enough to count their characters.
 */
export class StringLimits {
  readonly #pieces: Vocabulary["pieces"];
  readonly #quoted: readonly number[];
  readonly #plain: Uint16Array;
  readonly #longest: number;

  constructor(pieces: Vocabulary["pieces"]) {
    this.#pieces = pieces;
    this.#quoted = pieces.flatMap((piece, id) => (piece.includes(quote) ? [id] : []));
    const quoted = new Set(this.#quoted);
    this.#plain = Uint16Array.from(pieces, (piece, id) => (quoted.has(id) ? 0 : charsOf(piece)));
    this.#longest = this.#plain.reduce((most, chars) => Math.max(most, chars), 0);
  }

  /** Takes from `mask` what would break a limit. Leaves it whole where nothing else would be left. */
  narrow(mask: Uint32Array, tracker: JsonTracker): void {
    const before = mask.slice();
    for (const id of this.#quoted) {
      if (!hasToken(mask, id)) continue;
      const trial = tracker.clone();
      trial.feed(this.#pieces[id] ?? new Uint8Array(0));
      if (trial.broken) removeToken(mask, id);
    }
    const { room } = tracker;
    if (room !== null && room < this.#longest) this.#fit(mask, room);
    if (mask.every((word) => word === 0)) mask.set(before);
  }

  #fit(mask: Uint32Array, room: number): void {
    this.#plain.forEach((chars, id) => {
      if (chars > room) removeToken(mask, id);
    });
  }
}
