import { InferenceError } from "../../../errors.ts";
import type { TextSegment, Vocabulary } from "../../../port/tokenizer.ts";
import type { LlamaFunctions } from "../library/functions.ts";
import type { VocabularyPointer } from "../library/pointer.ts";
import { StructuralGuard } from "./structural-guard.ts";

/** Turns text segments into token ids with one vocabulary. */
export class Encoder {
  readonly #llama: LlamaFunctions;
  readonly #vocabulary: VocabularyPointer;
  readonly #structuralIds: ReadonlyMap<string, number>;
  readonly #guard: StructuralGuard;

  constructor(llama: LlamaFunctions, pointer: VocabularyPointer, vocabulary: Vocabulary) {
    this.#llama = llama;
    this.#vocabulary = pointer;
    this.#structuralIds = new Map([...vocabulary.structural].map(([id, text]) => [text, id]));
    this.#guard = new StructuralGuard(vocabulary.structural.values());
  }

  /**
   * The ids of one segment. Throws `InferenceError` `model_unsupported` if a special segment is not exactly one
   * structural token of this vocabulary.
   */
  encode(segment: TextSegment): Uint32Array {
    if (segment.special) return Uint32Array.of(this.#structuralId(segment.text));
    const parts = this.#guard.cut(segment.text).map((part) => this.#plain(part));
    if (parts.length === 1 && parts[0] !== undefined) return parts[0];
    const ids = new Uint32Array(parts.reduce((sum, part) => sum + part.length, 0));
    let offset = 0;
    for (const part of parts) {
      ids.set(part, offset);
      offset += part.length;
    }
    return ids;
  }

  #structuralId(text: string): number {
    const id = this.#structuralIds.get(text);
    if (id === undefined) {
      throw new InferenceError(
        "model_unsupported",
        `${JSON.stringify(text)} is not a structural token of this model: its dialect does not fit.`,
      );
    }
    return id;
  }

  #plain(text: string): Uint32Array {
    const bytes = Buffer.from(text, "utf8");
    if (bytes.length === 0) return new Uint32Array(0);
    let tokens = new Int32Array(bytes.length + 8);
    let count = this.#llama.tokenize(
      this.#vocabulary,
      bytes,
      bytes.length,
      tokens,
      tokens.length,
      false,
      false,
    );
    if (count < 0) {
      tokens = new Int32Array(-count);
      count = this.#llama.tokenize(
        this.#vocabulary,
        bytes,
        bytes.length,
        tokens,
        tokens.length,
        false,
        false,
      );
    }
    return Uint32Array.from(tokens.subarray(0, Math.max(0, count)));
  }
}
