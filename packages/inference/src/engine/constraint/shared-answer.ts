import { SharedText } from "./shared-text.ts";

const states = ["masked", "may_end", "complete", "not_taken", "failed"] as const;

/**
 * What the grammar thread says of a session after the last thing asked of it. `masked`: the next token must be
 * one of the mask. `may_end`: the grammar may end here or go on, and what follows it is free, so any token may
 * come. `complete`: nothing can be added to the stretch. `not_taken`: what was given last does not belong to the
 * stretch, which had ended (or had not begun) before it.
 */
export type AnswerState = (typeof states)[number];

const answeredWord = 0;
const stateWord = 1;
const reasonWord = 2;
const reasonWords = 129;
const maskWord = reasonWord + reasonWords;

/**
 * The answers of the grammar thread to one session, in memory shared with the step loop: the number of the
 * question last answered, the state, a reason, the mask. One side asks, the other answers, in turn; an answer is
 * published by the atomic store of its number.
 */
export class SharedAnswer {
  readonly buffer: SharedArrayBuffer;
  readonly mask: Uint32Array;
  readonly #words: Int32Array;
  readonly #reason: SharedText;

  constructor(buffer: SharedArrayBuffer) {
    this.buffer = buffer;
    this.#words = new Int32Array(buffer, 0, reasonWord);
    this.#reason = new SharedText(buffer, reasonWord, reasonWords);
    this.mask = new Uint32Array(buffer, maskWord * 4);
  }

  /** Memory for answers over a vocabulary of `tokens` ids. */
  static allocate(tokens: number): SharedAnswer {
    return new SharedAnswer(new SharedArrayBuffer(4 * (maskWord + Math.ceil(tokens / 32))));
  }

  answer(question: number, state: AnswerState, reason = ""): void {
    this.#reason.set(reason);
    this.#words[stateWord] = states.indexOf(state);
    Atomics.store(this.#words, answeredWord, question);
    Atomics.notify(this.#words, answeredWord);
  }

  answered(question: number): boolean {
    return Atomics.load(this.#words, answeredWord) === question;
  }

  /** Blocks until something new is answered, at most `timeoutMs` milliseconds. */
  wait(question: number, timeoutMs: number): void {
    const last = Atomics.load(this.#words, answeredWord);
    if (last !== question) Atomics.wait(this.#words, answeredWord, last, timeoutMs);
  }

  get state(): AnswerState {
    return states[this.#words[stateWord] ?? 0] ?? "failed";
  }

  get reason(): string {
    return this.#reason.get();
  }
}
