import type { Vocabulary } from "../../port/tokenizer.ts";
import { emptyString, scanByte } from "./json-text-scan.ts";
import type { JsonTracker } from "./json-tracker.ts";
import { hasToken, removeAll, removeToken, tokenSet, tokensIn } from "./token-set.ts";

const quote = 0x22;

/** Characters a token adds to a string it does not end, at most. */
function charsOf(piece: Uint8Array): number {
  let scan = emptyString;
  for (const byte of piece) scan = scanByte(scan, byte) ?? scan;
  return scan.chars + (scan.escape === "" ? 0 : 1);
}

/**
 * Keeps strings and numbers within the limits of their schema by narrowing the masks of a grammar that leaves them
 * open. What could end or begin a value is tried on a copy of the tracker; for what only adds to a string it is
 * enough to count characters.
 */
export class ValueLimits {
  readonly #pieces: Vocabulary["pieces"];
  readonly #quoted: readonly number[];
  readonly #ends: Uint32Array;
  readonly #plain: Uint16Array;
  readonly #longest: number;

  constructor({ pieces, endOfGeneration }: Pick<Vocabulary, "pieces" | "endOfGeneration">) {
    this.#pieces = pieces;
    this.#quoted = pieces.flatMap((piece, id) => (piece.includes(quote) ? [id] : []));
    this.#ends = tokenSet(endOfGeneration, pieces.length);
    this.#plain = Uint16Array.from(pieces, charsOf);
    this.#longest = this.#plain.reduce((most, chars) => Math.max(most, chars), 0);
  }

  /** Takes from `mask` what would break a limit. Leaves it whole where nothing else would be left. */
  narrow(mask: Uint32Array, tracker: JsonTracker): void {
    const before = mask.slice();
    const tried = tracker.inString ? this.#quoted.filter((id) => hasToken(mask, id)) : tokensIn(mask);
    for (const id of tried) {
      const trial = tracker.clone();
      trial.feed(this.#pieces[id] ?? new Uint8Array(0));
      if (trial.broken) removeToken(mask, id);
    }
    if (tracker.unfinished) removeAll(mask, this.#ends);
    if (tracker.room < this.#longest) this.#fit(mask, tracker.room);
    if (mask.every((word) => word === 0)) mask.set(before);
  }

  #fit(mask: Uint32Array, room: number): void {
    const quoted = this.#quoted.filter((id) => hasToken(mask, id));
    this.#plain.forEach((chars, id) => {
      if (chars > room) removeToken(mask, id);
    });
    for (const id of quoted) mask[id >> 5] = (mask[id >> 5] ?? 0) | (1 << (id & 31));
  }
}
