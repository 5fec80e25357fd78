import type { Constraint } from "../../port/decode-program.ts";
import type { ConstraintSession } from "./constraint-session.ts";
import type { ConstraintThread } from "./constraint-thread.ts";
import { SharedAnswer } from "./shared-answer.ts";
import { type TriggerHit, TriggerSearch } from "./trigger-search.ts";

/** Longest uninterrupted block of `wait`, milliseconds: between two the thread's health is looked at. */
const waitSlice = 20;
/** Threads that may die under a session before it gives up. */
const maxResumes = 3;

/** What a session needs of its host. */
export interface SessionHost {
  /** This session's number. */
  readonly number: number;
  /** Size of the vocabulary. */
  readonly tokens: number;
  readonly compileTimeoutMs: number;
  readonly now: () => number;
  /** The thread of now. */
  readonly thread: () => ConstraintThread;
  /** Looks at the thread's health, and replaces it if need be. */
  readonly check: () => void;
  /** Replaces a thread that does not answer. */
  readonly overdue: () => void;
  readonly closed: () => void;
}

interface Stretch {
  readonly constraint: Constraint;
  readonly head: Uint8Array;
  /** Tokens known to belong to it. */
  readonly tokens: number[];
  /** The token given last, not answered yet. */
  last: { readonly token: number; readonly bytes: Uint8Array } | null;
  /** Memory of the answers; `null` when the thread that wrote there is gone. */
  answer: SharedAnswer | null;
}

/** A session whose grammars run in a `ConstraintThread`; free text is watched for triggers here. */
export class ThreadedSession implements ConstraintSession {
  readonly #host: SessionHost;
  readonly #start: Constraint | null;
  readonly #triggered: readonly Constraint[];
  readonly #search: TriggerSearch;
  #stretch: Stretch | null = null;
  #question = 0;
  #waiting = false;
  #askedAt = 0;
  #resumes = 0;
  #mask: Uint32Array | null = null;
  #finished = false;
  #failure: string | null = null;

  constructor(constraints: readonly Constraint[], host: SessionHost) {
    this.#host = host;
    const starts = constraints.filter(({ on }) => on === "start");
    this.#start = starts[0] ?? null;
    const triggers: Uint8Array[] = [];
    const triggered: Constraint[] = [];
    for (const constraint of constraints) {
      if (constraint.on === "start") continue;
      triggers.push(constraint.on.trigger);
      triggered.push(constraint);
    }
    this.#triggered = triggered;
    this.#search = new TriggerSearch(triggers);
    if (starts.length > 1) this.#failure = "At most one constraint may hold from the start.";
    if (triggers.some((trigger) => trigger.length === 0)) this.#failure = "A trigger must not be empty.";
  }

  /** Whether a grammar holds now. */
  get constrained(): boolean {
    return this.#stretch !== null;
  }

  start(): void {
    if (this.#failure === null && this.#start !== null) this.#begin(this.#start, new Uint8Array(0));
  }

  fail(reason: string): void {
    this.#failure ??= reason;
    this.#stretch = null;
    this.#waiting = false;
    this.#mask = null;
  }

  /** Takes up in a new thread what was asked of the one that died. */
  resume(): void {
    if (this.#stretch === null) return;
    this.#stretch.answer = null;
    if (!this.#waiting) return;
    this.#resumes += 1;
    if (this.#resumes > maxResumes) this.fail("The grammar engine does not answer.");
    else this.#ask();
  }

  accept(tokenId: number, bytes: Uint8Array): void {
    if (this.#failure !== null || this.#finished) return;
    if (!this.ready()) {
      this.fail("A token came before the mask it was to be chosen under.");
    } else if (this.#stretch === null) {
      this.#watch(bytes);
    } else {
      this.#stretch.last = { token: tokenId, bytes: Uint8Array.from(bytes) };
      this.#ask();
    }
  }

  ready(): boolean {
    if (!this.#waiting) return true;
    if (this.#stretch?.answer?.answered(this.#question)) this.#settle();
    if (!this.#waiting) return true;
    this.#host.check();
    if (this.#waiting && this.#host.now() - this.#askedAt > this.#host.compileTimeoutMs) this.#host.overdue();
    return !this.#waiting;
  }

  wait(timeoutMs: number): boolean {
    const until = this.#host.now() + timeoutMs;
    while (!this.ready()) {
      const left = until - this.#host.now();
      if (left <= 0) return false;
      this.#stretch?.answer?.wait(this.#question, Math.min(left, waitSlice));
    }
    return true;
  }

  mask(): Uint32Array | null {
    return this.#mask;
  }

  finished(): boolean {
    return this.#finished;
  }

  failed(): string | null {
    return this.#failure;
  }

  close(): void {
    this.fail("The session is closed.");
    this.#host.thread().post({ kind: "end", session: this.#host.number });
    this.#host.closed();
  }

  #watch(bytes: Uint8Array): void {
    const hit: TriggerHit | null = this.#search.feed(bytes);
    const constraint = hit === null ? undefined : this.#triggered[hit.index];
    if (hit !== null && constraint !== undefined) this.#begin(constraint, hit.rest);
  }

  #begin(constraint: Constraint, head: Uint8Array): void {
    this.#stretch = { constraint, head: Uint8Array.from(head), tokens: [], last: null, answer: null };
    this.#ask();
  }

  /** Asks what follows the last token; of a thread that does not know the stretch, with all that came before. */
  #ask(): void {
    const stretch = this.#stretch;
    if (stretch === null) return;
    const thread = this.#host.thread();
    this.#question += 1;
    this.#waiting = true;
    this.#askedAt = this.#host.now();
    const { number: session } = this.#host;
    const question = this.#question;
    if (stretch.answer !== null && stretch.last !== null) {
      thread.post({ kind: "accept", session, question, token: stretch.last.token });
      return;
    }
    stretch.answer = SharedAnswer.allocate(this.#host.tokens);
    thread.post({
      kind: "begin",
      session,
      question,
      answer: stretch.answer.buffer,
      source: thread.define(stretch.constraint.source),
      afterwards: stretch.constraint.then,
      head: stretch.head,
      tokens: stretch.tokens,
      last: stretch.last?.token ?? null,
    });
  }

  #settle(): void {
    const stretch = this.#stretch;
    if (stretch === null || stretch.answer === null) return;
    const { state, reason, mask } = stretch.answer;
    this.#waiting = false;
    this.#mask = state === "masked" ? mask : null;
    if (state === "failed") {
      this.fail(reason);
    } else if (state === "not_taken") {
      this.#stretch = null;
      this.#watch(stretch.last?.bytes ?? stretch.head);
    } else {
      if (stretch.last !== null) stretch.tokens.push(stretch.last.token);
      stretch.last = null;
      this.#resumes = 0;
      if (state === "complete") this.#leave(stretch.constraint.then);
    }
  }

  #leave(then: Constraint["then"]): void {
    this.#stretch = null;
    this.#finished = then === "stop";
  }
}
