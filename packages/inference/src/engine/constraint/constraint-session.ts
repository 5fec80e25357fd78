import type { Constraint, ConstraintSource } from "../../port/decode-program.ts";
import type { Vocabulary } from "../../port/tokenizer.ts";

/**
 * The constraints of one running output, as its step loop sees them. No method turns the event loop and none
 * but `wait` blocks: grammar work runs in another thread, its results are read from shared memory.
 *
 * Lap of a step loop: `if (!session.ready()) skip this sequence; mask = session.mask(); sample under it;
 * session.accept(id, bytes); if (session.finished()) end`. `failed`, `finished` and `mask` tell the state as of
 * the last time `ready` or `wait` answered true.
 */
export interface ConstraintSession {
  /**
   * Takes a token that was kept. `bytes` is what it adds to the output; a token that ends the output need not be
   * given. Must not be called before `ready` is true for the token before it, nor after `finished`.
   */
  accept(tokenId: number, bytes: Uint8Array): void;
  /** True when the next token can be sampled: the text is free, the mask stands, or the session is over. */
  ready(): boolean;
  /** Blocks this thread until `ready`, at most `timeoutMs` milliseconds; returns `ready()`. */
  wait(timeoutMs: number): boolean;
  /**
   * One bit per token id, id `i` at bit `i & 31` of word `i >> 5`, set = allowed; `null` when every token is.
   * A view on shared memory: valid until the next `accept`.
   */
  mask(): Uint32Array | null;
  /** A stretch with `then: "stop"` is complete: the output must end before another token. */
  finished(): boolean;
  /** Why the constraints cannot be kept (a bad schema, a compile past its time limit), else `null`. Final. */
  failed(): string | null;
  /** Frees what the session holds. Idempotent. */
  close(): void;
}

/** Compiles and runs the grammars of one vocabulary in a thread of its own. */
export interface ConstraintHost {
  /** Starts compiling; call it when the tools arrive, so that it overlaps with prefill. Never blocks or throws. */
  prepare(sources: readonly ConstraintSource[]): void;
  /** A session at the first token of an output. Bad constraints show as `failed`, never as a throw. */
  open(constraints: readonly Constraint[]): ConstraintSession;
  /** Ends the thread; open sessions fail. Idempotent. */
  close(): void;
}

/** What a `ConstraintHost` needs. */
export interface ConstraintHostOptions {
  readonly vocabulary: Pick<Vocabulary, "pieces" | "structural" | "endOfGeneration">;
  /** Monotonic clock in milliseconds, for the compile limit. */
  readonly now: () => number;
  /** Longest time one session waits for a grammar, milliseconds. Default 20,000. */
  readonly compileTimeoutMs?: number;
  /** Most grammars kept compiled. Default 256. */
  readonly maxCompiled?: number;
  /** Most bytes of WebAssembly memory compiled grammars may fill, by estimate. Default 256 MiB. */
  readonly maxCompiledBytes?: number;
}
