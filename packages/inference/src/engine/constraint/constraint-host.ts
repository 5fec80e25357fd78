import type { Constraint, ConstraintSource } from "../../port/decode-program.ts";
import type { ConstraintSetup } from "./constraint-message.ts";
import type { ConstraintHost, ConstraintHostOptions, ConstraintSession } from "./constraint-session.ts";
import { ConstraintThread } from "./constraint-thread.ts";
import { packVocabulary } from "./packed-vocabulary.ts";
import { ThreadedSession } from "./threaded-session.ts";

const maxRefused = 256;

/** Starts the grammar thread of one vocabulary. May be called in any thread, also one whose event loop is blocked. */
export function startConstraintHost(options: ConstraintHostOptions): ConstraintHost {
  return new ThreadedHost(options);
}

/**
 * Keeps one grammar thread alive. A thread that aborted, hangs in a grammar or has grown too large is replaced;
 * what broke it is remembered and refused, and every other session takes up in the new thread where it was.
 */
class ThreadedHost implements ConstraintHost {
  readonly #options: ConstraintHostOptions;
  readonly #setup: Omit<ConstraintSetup, "health">;
  readonly #refused = new Map<string, string>();
  readonly #sessions = new Map<number, ThreadedSession>();
  #thread: ConstraintThread;
  #lastSession = 0;
  #closed = false;

  constructor(options: ConstraintHostOptions) {
    this.#options = options;
    this.#setup = {
      vocabulary: packVocabulary(options.vocabulary),
      maxCompiled: options.maxCompiled ?? 256,
      maxCompiledBytes: options.maxCompiledBytes ?? 256 * 1024 * 1024,
      refused: this.#refused,
    };
    this.#thread = new ConstraintThread(this.#setup);
  }

  prepare(sources: readonly ConstraintSource[]): void {
    this.#check();
    if (this.#closed) return;
    for (const source of sources) {
      this.#thread.post({ kind: "prepare", source: this.#thread.define(source) });
    }
  }

  open(constraints: readonly Constraint[]): ConstraintSession {
    this.#check();
    this.#lastSession += 1;
    const number = this.#lastSession;
    const session = new ThreadedSession(constraints, {
      number,
      tokens: this.#options.vocabulary.pieces.length,
      compileTimeoutMs: this.#options.compileTimeoutMs ?? 20_000,
      now: this.#options.now,
      thread: () => this.#thread,
      check: () => this.#check(),
      overdue: () => this.#overdue(),
      closed: () => this.#sessions.delete(number),
    });
    this.#sessions.set(number, session);
    if (this.#closed) session.fail("The engine is closed.");
    else session.start();
    return session;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#thread.end();
    for (const session of this.#sessions.values()) session.fail("The engine is closed.");
  }

  #check(): void {
    if (this.#closed) return;
    const { health, reason } = this.#thread.health;
    if (health === "poisoned") this.#replace(reason.get());
    if (health === "bloated" && this.#idle()) this.#replace("");
  }

  #idle(): boolean {
    return [...this.#sessions.values()].every((session) => !session.constrained);
  }

  #overdue(): void {
    this.#replace("The grammar took too long to compile.");
  }

  #replace(reason: string): void {
    const key = this.#thread.health.compiling.get();
    if (key !== "" && reason !== "") {
      const [oldest] = this.#refused.keys();
      if (oldest !== undefined && this.#refused.size >= maxRefused) this.#refused.delete(oldest);
      this.#refused.set(key, reason);
    }
    this.#thread.end();
    this.#thread = new ConstraintThread(this.#setup);
    for (const session of this.#sessions.values()) session.resume();
  }
}
