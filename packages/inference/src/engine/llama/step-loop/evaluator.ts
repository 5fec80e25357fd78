/** The rows of one evaluation. */
export interface EvaluationBatch {
  readonly length: number;
  clear(): void;
  /** Adds one token at a position of a sequence; returns its row. `output` asks for its logits. */
  add(sequence: number, position: number, token: number, output: boolean): number;
}

/**
 * The model as the step loop sees it: sequences by number, each a list of tokens in one unified cache.
 * `LlamaContext` is the real one; a test needs no model.
 */
export interface Evaluator {
  /** Cells of the cache. */
  readonly size: number;
  /** Most rows of a batch. */
  readonly batchSize: number;
  /** Sequence numbers run from 0 to this, exclusive. */
  readonly maxSequences: number;
  readonly batch: EvaluationBatch;
  /** Evaluates the batch. `full`: nothing was evaluated. `aborted`: ask `sequenceLength` what was. */
  decode(): "done" | "full" | "aborted";
  /** Logits of a row of the last batch: a view, writable, valid until the next `decode`. */
  logits(row: number): Float32Array;
  sequenceLength(sequence: number): number;
  /** False: it cannot be cut there, and is now empty. */
  truncate(sequence: number, length: number): boolean;
  remove(sequence: number): void;
  /** `target`, which is empty, shares the first `length` tokens of `source`. */
  fork(source: number, target: number, length: number): void;
  saveState(sequence: number): Uint8Array | null;
  /** False: it did not fit, and the sequence is empty. */
  restoreState(sequence: number, state: Uint8Array): boolean;
  clearAbort(): void;
}
