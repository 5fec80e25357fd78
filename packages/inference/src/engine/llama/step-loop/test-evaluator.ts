import type { EvaluationBatch, Evaluator } from "./evaluator.ts";

/** Size of the test model's vocabulary. */
export const testVocabularySize = 97;

interface Row {
  readonly sequence: number;
  readonly position: number;
  readonly token: number;
  readonly output: boolean;
}

interface Cell {
  readonly token: number;
}

/** Logits that depend on every token before: any mistake in the cache shows in the output. */
function testLogits(tokens: readonly number[]): Float32Array {
  let state = 0x811c9dc5;
  for (const token of tokens) state = Math.imul(state ^ (token + 1), 0x01000193) >>> 0;
  return Float32Array.from({ length: testVocabularySize }, (_, id) => {
    const mixed = Math.imul(state ^ Math.imul(id + 1, 0x9e3779b1), 0x85ebca6b) >>> 0;
    return (mixed >>> 8) / 2 ** 24;
  });
}

/** The greedy continuation of a prompt by the test model. */
export function testContinuation(prompt: readonly number[], count: number): number[] {
  const tokens = [...prompt];
  for (let step = 0; step < count; step += 1) {
    const logits = testLogits(tokens);
    tokens.push(logits.indexOf(Math.max(...logits)));
  }
  return tokens.slice(prompt.length);
}

/** A model without weights over a cache that behaves as llama.cpp's: shared cells, `full`, aborts. */
export class TestEvaluator implements Evaluator {
  readonly size: number;
  readonly batchSize: number;
  readonly maxSequences: number;
  readonly #sequences = new Map<number, Cell[]>();
  #rows: Row[] = [];
  #logits = new Map<number, Float32Array>();
  /** Answers the next `decode` gives in place of evaluating: the rows of an aborted one that still count. */
  abortAfter: number | null = null;
  saveFails = false;
  batches: { sequences: number; rows: number; resident: number }[] = [];

  constructor(size: number, batchSize: number, maxSequences: number) {
    this.size = size;
    this.batchSize = batchSize;
    this.maxSequences = maxSequences;
  }

  get usedCells(): number {
    return new Set([...this.#sequences.values()].flat()).size;
  }

  tokensOf(sequence: number): number[] {
    return (this.#sequences.get(sequence) ?? []).map(({ token }) => token);
  }

  readonly batch: EvaluationBatch = ((evaluator: TestEvaluator) => ({
    get length(): number {
      return evaluator.#rows.length;
    },
    clear(): void {
      evaluator.#rows = [];
    },
    add(sequence: number, position: number, token: number, output: boolean): number {
      return evaluator.#rows.push({ sequence, position, token, output }) - 1;
    },
  }))(this);

  decode(): "done" | "full" | "aborted" {
    const rows = this.#rows;
    if (rows.length === 0 || rows.length > this.batchSize) throw new Error(`batch of ${rows.length} rows`);
    if (this.usedCells + rows.length > this.size) return "full";
    const aborted = this.abortAfter;
    this.abortAfter = null;
    this.#logits = new Map();
    const sequences = new Set(rows.map((row) => row.sequence));
    const resident = new Set([...this.#sequences.keys(), ...sequences]).size;
    this.batches.push({ sequences: sequences.size, rows: rows.length, resident });
    for (const [index, row] of rows.slice(0, aborted ?? rows.length).entries()) {
      const cells = this.#sequences.get(row.sequence) ?? [];
      if (row.position !== cells.length) throw new Error(`position ${row.position} after ${cells.length}`);
      cells.push({ token: row.token });
      this.#sequences.set(row.sequence, cells);
      if (row.output && aborted === null) this.#logits.set(index, testLogits(this.tokensOf(row.sequence)));
    }
    return aborted === null ? "done" : "aborted";
  }

  logits(row: number): Float32Array {
    const logits = this.#logits.get(row);
    if (logits === undefined) throw new Error(`no logits for row ${row}`);
    return logits;
  }

  sequenceLength(sequence: number): number {
    return this.#sequences.get(sequence)?.length ?? 0;
  }

  truncate(sequence: number, length: number): boolean {
    this.#sequences.set(sequence, (this.#sequences.get(sequence) ?? []).slice(0, length));
    return true;
  }

  remove(sequence: number): void {
    this.#sequences.delete(sequence);
  }

  fork(source: number, target: number, length: number): void {
    if (this.sequenceLength(target) > 0) throw new Error(`sequence ${target} is not empty`);
    this.#sequences.set(target, (this.#sequences.get(source) ?? []).slice(0, length));
  }

  saveState(sequence: number): Uint8Array | null {
    return this.saveFails ? null : Uint8Array.from(this.tokensOf(sequence));
  }

  restoreState(sequence: number, state: Uint8Array): boolean {
    if (this.sequenceLength(sequence) > 0) throw new Error(`sequence ${sequence} is not empty`);
    if (this.usedCells + state.length > this.size) return false;
    this.#sequences.set(
      sequence,
      [...state].map((token) => ({ token })),
    );
    return true;
  }

  clearAbort(): void {}
}
