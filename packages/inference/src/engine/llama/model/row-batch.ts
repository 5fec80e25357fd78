import koffi from "koffi";

/**
 * The rows of one evaluation, in C memory that is filled in place. Everything the library would abort or
 * silently miscompute on is refused: token ids, sequence ids, positions that do not follow each other, too many rows.
 */
export class RowBatch {
  readonly capacity: number;
  readonly #vocabularySize: number;
  readonly #maxSequences: number;
  readonly #tokens: Int32Array;
  readonly #positions: Int32Array;
  readonly #sequences: Int32Array;
  readonly #outputs: Int8Array;
  readonly #structure: Record<string, unknown> & { n_tokens: number };
  readonly #nextPosition = new Map<number, number>();
  #outputCount = 0;
  #length = 0;

  constructor(capacity: number, vocabularySize: number, maxSequences: number) {
    this.capacity = capacity;
    this.#vocabularySize = vocabularySize;
    this.#maxSequences = maxSequences;
    const allocate = (type: string, bytes: number): { pointer: bigint; memory: ArrayBuffer } => {
      const pointer: bigint = koffi.alloc(type, capacity);
      return { pointer, memory: koffi.view(pointer, capacity * bytes) };
    };
    const tokens = allocate("int32_t", 4);
    const positions = allocate("int32_t", 4);
    const sequences = allocate("int32_t", 4);
    const counts = allocate("int32_t", 4);
    const sequencePointers = allocate("uint64_t", 8);
    const outputs = allocate("int8_t", 1);
    this.#tokens = new Int32Array(tokens.memory);
    this.#positions = new Int32Array(positions.memory);
    this.#sequences = new Int32Array(sequences.memory);
    this.#outputs = new Int8Array(outputs.memory);
    new Int32Array(counts.memory).fill(1);
    const addresses = new BigUint64Array(sequencePointers.memory);
    for (let row = 0; row < capacity; row += 1) addresses[row] = sequences.pointer + BigInt(row * 4);
    this.#structure = {
      n_tokens: 0,
      token: tokens.pointer,
      embd: null,
      pos: positions.pointer,
      n_seq_id: counts.pointer,
      seq_id: sequencePointers.pointer,
      logits: outputs.pointer,
    };
  }

  get length(): number {
    return this.#length;
  }

  clear(): void {
    this.#length = 0;
    this.#outputCount = 0;
    this.#nextPosition.clear();
  }

  /** Adds one token at a position of a sequence; returns its row. `output` asks for its logits. */
  add(sequence: number, position: number, token: number, output: boolean): number {
    const row = this.#length;
    if (row >= this.capacity) throw new Error(`a batch holds ${this.capacity} rows`);
    if (!Number.isInteger(token) || token < 0 || token >= this.#vocabularySize) {
      throw new Error(`token ${token} out of range`);
    }
    if (!Number.isInteger(sequence) || sequence < 0 || sequence >= this.#maxSequences) {
      throw new Error(`sequence ${sequence} out of range`);
    }
    const expected = this.#nextPosition.get(sequence);
    if (!Number.isInteger(position) || position < 0 || (expected !== undefined && position !== expected)) {
      throw new Error(`position ${position} of sequence ${sequence} out of order`);
    }
    if (output && this.#outputCount >= this.#maxSequences) throw new Error("too many rows with output");
    this.#nextPosition.set(sequence, position + 1);
    this.#tokens[row] = token;
    this.#positions[row] = position;
    this.#sequences[row] = sequence;
    this.#outputs[row] = output ? 1 : 0;
    this.#outputCount += output ? 1 : 0;
    this.#length = row + 1;
    return row;
  }

  /** The C structure, to be passed by value. */
  structure(): Record<string, unknown> {
    this.#structure.n_tokens = this.#length;
    return this.#structure;
  }
}
