import type { Hash } from "./prefix.ts";

/** A stretch of text tokenized on its own: nothing merges across its ends. */
export interface TextSegment {
  readonly text: string;
  /** True: `text` is exactly one structural token. False: plain text, from which no structural token comes. */
  readonly special: boolean;
}

/** The vocabulary as the API needs it to turn ids into bytes and to guard structure. */
export interface Vocabulary {
  /** Bytes of each token id; a structural token has its text. */
  readonly pieces: readonly Uint8Array[];
  /** Text of every control and user-defined token, by id. */
  readonly structural: ReadonlyMap<number, string>;
  readonly endOfGeneration: readonly number[];
  readonly beginOfText: number | null;
  readonly addBeginOfText: boolean;
}

/** The asynchronous tokenizer of one model, served outside the API process. */
export interface Tokenizer {
  readonly fingerprint: Hash;
  /** Ids of each segment, in order. Counts what it returns, so that work per lap can be tested. */
  encode(segments: readonly TextSegment[]): Promise<Uint32Array[]>;
  vocabulary(): Promise<Vocabulary>;
}
