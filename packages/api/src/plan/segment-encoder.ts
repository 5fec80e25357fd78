import type { TextSegment, Tokenizer, Vocabulary } from "@slipstream-stack/inference";
import { LRUCache } from "lru-cache";

/** Longest plain text, in UTF-16 units, whose ids are remembered: structure between items, not content. */
const rememberedLength = 48;

/**
 * Turns text segments into ids: structural ones by look-up, recurring short ones from memory, the rest in one
 * call of the tokenizer. `tokenized` counts the ids that tokenizer calls returned.
 */
export class SegmentEncoder {
  readonly #tokenizer: Tokenizer;
  readonly #special: ReadonlyMap<string, number>;
  readonly #remembered = new LRUCache<string, Uint32Array>({ max: 512 });

  constructor(tokenizer: Tokenizer, vocabulary: Vocabulary) {
    this.#tokenizer = tokenizer;
    this.#special = new Map([...vocabulary.structural].map(([id, text]) => [text, id]));
  }

  /**
   * Ids of each group of segments, a group's segments joined. One tokenizer call at most; not `remembering`, it is
   * asked for every text, and only structural tokens are looked up.
   */
  async encode(
    groups: readonly (readonly TextSegment[])[],
    remembering = true,
  ): Promise<{ ids: Uint32Array[]; tokenized: number }> {
    const asked: TextSegment[] = [];
    const parts = groups.map((group) =>
      group.map((segment) => this.#known(segment, remembering) ?? asked.push(segment) - 1),
    );
    const answers = asked.length === 0 ? [] : await this.#tokenizer.encode(asked);
    let tokenized = 0;
    answers.forEach((ids, index) => {
      tokenized += ids.length;
      const text = asked[index]?.text ?? "";
      if (text.length <= rememberedLength) this.#remembered.set(text, ids);
    });
    const ids = parts.map((group) =>
      join(group.map((part) => (typeof part === "number" ? (answers[part] ?? new Uint32Array(0)) : part))),
    );
    return { ids, tokenized };
  }

  #known({ special, text }: TextSegment, remembering: boolean): Uint32Array | undefined {
    if (text === "") return new Uint32Array(0);
    if (!special) return remembering ? this.#remembered.get(text) : undefined;
    const id = this.#special.get(text);
    return id === undefined ? undefined : Uint32Array.of(id);
  }
}

function join(parts: readonly Uint32Array[]): Uint32Array {
  const only = parts.length === 1 ? parts[0] : undefined;
  if (only !== undefined) return only;
  const joined = new Uint32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}
