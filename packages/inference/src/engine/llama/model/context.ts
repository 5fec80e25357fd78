import koffi from "koffi";
import { InferenceError } from "../../../errors.ts";
import type { LlamaFunctions } from "../library/functions.ts";
import type { LlamaLibrary } from "../library/load-library.ts";
import type { BlockPointer, ContextPointer, MemoryPointer, ModelPointer } from "../library/pointer.ts";
import { RowBatch } from "./row-batch.ts";
import { defaultGovernorSettings, ThreadGovernor } from "./thread-governor.ts";

export interface ContextOptions {
  readonly contextTokens: number;
  readonly batchTokens: number;
  readonly maxSequences: number;
  readonly threads: { readonly prefill: number; readonly decode: number };
  readonly flashAttention: boolean;
  /** Give way to other processes (`ThreadGovernor`). How attention is split among threads can change results. */
  readonly adaptThreads: boolean;
}

/** What `llama_decode` answered: done, no room for the batch, or ended by the abort flag. */
export type DecodeOutcome = "done" | "full" | "aborted";

/**
 * One KV cache and its compute buffers. The library aborts the process on bad arguments, so that every one is
 * checked here; a check that fails is a fault of the step loop and throws a plain `Error`.
 */
export class LlamaContext {
  readonly size: number;
  readonly batchSize: number;
  readonly maxSequences: number;
  readonly batch: RowBatch;
  readonly #llama: LlamaFunctions;
  readonly #context: ContextPointer;
  readonly #memory: MemoryPointer;
  readonly #abort: BlockPointer;
  readonly #vocabularySize: number;
  readonly #views = new Map<bigint, Float32Array>();
  readonly #threads: ContextOptions["threads"];
  readonly #governor: ThreadGovernor | null;
  #evaluatedRows = 0;

  constructor(library: LlamaLibrary, model: ModelPointer, options: ContextOptions) {
    const { llama } = library;
    const threads = Math.max(options.threads.prefill, options.threads.decode);
    if (Math.min(options.threads.prefill, options.threads.decode) < 1) {
      throw new InferenceError("engine_start_failed", "The engine needs at least one thread for each phase.");
    }
    const context = llama.contextInit(model, {
      ...llama.contextDefaultParams(),
      n_ctx: options.contextTokens,
      n_batch: options.batchTokens,
      n_ubatch: options.batchTokens,
      n_seq_max: options.maxSequences,
      n_outputs_max: options.maxSequences,
      n_threads: options.threads.decode,
      n_threads_batch: options.threads.prefill,
      flash_attn_type: options.flashAttention ? 1 : 0,
      kv_unified: true,
      swa_full: true,
    });
    if (context === null) {
      throw new InferenceError(
        "context_too_large",
        `llama.cpp cannot create a context of ${options.contextTokens} tokens: ask for less.`,
      );
    }
    this.#llama = llama;
    this.#threads = options.threads;
    this.#governor = options.adaptThreads ? new ThreadGovernor(threads, defaultGovernorSettings) : null;
    this.#context = context;
    this.#memory = llama.getMemory(context);
    this.#vocabularySize = llama.vocabularySize(llama.getVocabulary(model));
    const pool = library.createThreadpool(threads);
    llama.attachThreadpool(context, pool, pool);
    // Two bytes: the flag, and the terminator that strlen needs.
    this.#abort = koffi.alloc("uint8_t", 2);
    new Uint8Array(koffi.view(this.#abort, 2)).fill(0);
    llama.setAbortCallback(context, library.abortCallback, this.#abort);
    this.size = llama.contextSize(context);
    this.batchSize = llama.batchSize(context);
    this.maxSequences = options.maxSequences;
    this.batch = new RowBatch(this.batchSize, this.#vocabularySize, options.maxSequences);
  }

  /** Where another thread of this process writes a byte other than 0 to end the running `decode`. */
  get abortAddress(): bigint {
    return this.#abort;
  }

  clearAbort(): void {
    new Uint8Array(koffi.view(this.#abort, 1))[0] = 0;
  }

  /** Evaluates the rows of `batch`. Throws if the library fails otherwise than by lack of room or abort. */
  decode(): DecodeOutcome {
    if (this.batch.length === 0) throw new Error("decode of an empty batch");
    this.#evaluatedRows = 0;
    const code = this.#governedDecode();
    if (code === 0) {
      this.#evaluatedRows = this.batch.length;
      return "done";
    }
    if (code === 1) return "full";
    if (code === 2) return "aborted";
    throw new Error(`llama_decode answered ${code}`);
  }

  #governedDecode(): number {
    const run = (): number => this.#llama.decode(this.#context, this.batch.structure());
    if (this.#governor === null) return run();
    const before = this.#governor.threads;
    const cpu = process.cpuUsage();
    const start = performance.now();
    const code = run();
    const wallMs = performance.now() - start;
    const { user, system } = process.cpuUsage(cpu);
    const threads = this.#governor.observe((user + system) / 1_000, wallMs);
    if (threads !== before) {
      const { decode, prefill } = this.#threads;
      this.#llama.setThreads(this.#context, Math.min(decode, threads), Math.min(prefill, threads));
    }
    return code;
  }

  /** Logits of a row of the last `decode`: a view, valid and writable until the next. */
  logits(row: number): Float32Array {
    if (row < 0 || row >= this.#evaluatedRows) throw new Error(`no logits for row ${row}`);
    const pointer = this.#llama.logits(this.#context, row);
    if (pointer === null) throw new Error(`row ${row} was not flagged for output`);
    let view = this.#views.get(pointer);
    if (view === undefined) {
      if (this.#views.size > 1_024) this.#views.clear();
      view = new Float32Array(koffi.view(pointer, this.#vocabularySize * 4));
      this.#views.set(pointer, view);
    }
    return view;
  }

  /** Tokens held for a sequence: positions `[0, length)`. */
  sequenceLength(sequence: number): number {
    return this.#llama.sequencePositionMax(this.#memory, this.#checked(sequence)) + 1;
  }

  /** Cuts a sequence to its first `length` tokens. False: it cannot be cut there and has been dropped. */
  truncate(sequence: number, length: number): boolean {
    this.#llama.sequenceRemove(this.#memory, this.#checked(sequence), length, -1);
    // With a sliding window the library may answer true and yet have lost the state.
    const whole = this.sequenceLength(sequence) === length;
    if (!whole) this.remove(sequence);
    return whole;
  }

  remove(sequence: number): void {
    this.#llama.sequenceRemove(this.#memory, this.#checked(sequence), -1, -1);
  }

  /** Makes `target`, which must be empty, share the first `length` tokens of `source`. */
  fork(source: number, target: number, length: number): void {
    this.#llama.sequenceCopy(this.#memory, this.#checked(source), this.#checked(target), 0, length);
  }

  clear(): void {
    this.#llama.memoryClear(this.#memory, true);
  }

  /** A copy of a sequence's state, or null where the library gives none. */
  saveState(sequence: number): Uint8Array | null {
    const size = this.#llama.stateSize(this.#context, this.#checked(sequence));
    // Not pooled and not zeroed: the library fills all of it.
    const state = Buffer.allocUnsafeSlow(size);
    const written = this.#llama.stateGet(this.#context, state, size, sequence);
    return written === size ? state : null;
  }

  /** Puts a saved state into an empty sequence; false: there is no room for it. */
  restoreState(sequence: number, state: Uint8Array): boolean {
    return this.#llama.stateSet(this.#context, state, state.length, this.#checked(sequence)) === state.length;
  }

  #checked(sequence: number): number {
    if (!Number.isInteger(sequence) || sequence < 0 || sequence >= this.maxSequences) {
      throw new Error(`sequence ${sequence} out of range`);
    }
    return sequence;
  }
}
