import { createHash } from "node:crypto";
import { InferenceError } from "../../errors.ts";
import type { TextSegment, Tokenizer, Vocabulary } from "../../port/tokenizer.ts";
import { type SimulatedVocabulary, simulatedVocabulary } from "./simulated-vocabulary.ts";

/**
 * The tokenizer of simulated models: greedy longest match over a small vocabulary, so that one text has many
 * tokenizations, as with a real one. Deterministic, asynchronous, without files.
 */
export class SimulatedTokenizer implements Tokenizer {
  readonly fingerprint: string;
  readonly #vocabulary: SimulatedVocabulary = simulatedVocabulary;
  readonly #encoder = new TextEncoder();
  #encodedTokens = 0;

  constructor() {
    const hash = createHash("sha256");
    for (const piece of this.#vocabulary.pieces) hash.update(piece).update("\0");
    this.fingerprint = hash.digest("hex").slice(0, 32);
  }

  /** Tokens returned by `encode` so far, so that a test can hold work per lap against the delta. */
  get encodedTokens(): number {
    return this.#encodedTokens;
  }

  /** Throws `InferenceError` `token_unknown` for a special segment that is no structural token. */
  async encode(segments: readonly TextSegment[]): Promise<Uint32Array[]> {
    await Promise.resolve();
    const encoded = segments.map((segment) => this.#encodeSegment(segment));
    for (const ids of encoded) this.#encodedTokens += ids.length;
    return encoded;
  }

  async vocabulary(): Promise<Vocabulary> {
    return this.#vocabulary;
  }

  #encodeSegment({ text, special }: TextSegment): Uint32Array {
    if (!special) return Uint32Array.from(this.#vocabulary.encodeBytes(this.#encoder.encode(text)));
    const id = this.#vocabulary.structuralId(text);
    if (id === undefined) {
      const message = `"${text}" is no structural token of this model: encode it as plain text.`;
      throw new InferenceError("token_unknown", message);
    }
    return Uint32Array.of(id);
  }
}
