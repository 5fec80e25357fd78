import { removeAll, tokenSet } from "./token-set.ts";

/** Bytes and pairs of bytes that no UTF-8 text has: overlong forms, surrogates, what is past U+10FFFF. */
const malformed = /[\xc0\xc1\xf5-\xff]|\xe0[\x80-\x9f]|\xed[\xa0-\xbf]|\xf0[\x80-\x8f]|\xf4[\x90-\xbf]/;

/** First bytes of a character after which some second bytes are wrong, from and to which. */
const wrongAfter: readonly (readonly [lead: number, from: number, to: number])[] = [
  [0xe0, 0x80, 0x9f],
  [0xed, 0xa0, 0xbf],
  [0xf0, 0x80, 0x8f],
  [0xf4, 0x90, 0xbf],
];

/**
 * Keeps sampled text well-formed UTF-8. XGrammar's "any character but" takes a first byte and the right number of
 * others, whatever their values.
 */
export class Utf8Guard {
  readonly #never: Uint32Array;
  readonly #after: ReadonlyMap<number, Uint32Array>;

  constructor(pieces: readonly Uint8Array[]) {
    const ids = pieces.map((_, id) => id);
    const idsWhere = (test: (piece: Uint8Array) => boolean) =>
      tokenSet(
        ids.filter((id) => test(pieces[id] ?? new Uint8Array(0))),
        pieces.length,
      );
    this.#never = idsWhere((piece) => malformed.test(Buffer.from(piece).toString("latin1")));
    this.#after = new Map(
      wrongAfter.map(([lead, from, to]) => [lead, idsWhere(([first = 0]) => first >= from && first <= to)]),
    );
  }

  /** Takes from `mask` what would be malformed after a text that ends in `lastByte`. */
  narrow(mask: Uint32Array, lastByte: number): void {
    removeAll(mask, this.#never);
    const wrong = this.#after.get(lastByte);
    if (wrong !== undefined) removeAll(mask, wrong);
  }
}
