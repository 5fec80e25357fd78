import { SharedText } from "./shared-text.ts";

const healths = ["well", "bloated", "poisoned"] as const;

/**
 * The state of the grammar thread. `bloated`: its memory, which cannot shrink, is past its limit. `poisoned`: its
 * WebAssembly instance aborted.
 */
export type Health = (typeof healths)[number];

const keyWords = 17;
const reasonWords = 129;

/** What the thread tells its host beside answers, in shared memory: it may hang, so it says first what it does. */
export class SharedHealth {
  readonly buffer: SharedArrayBuffer;
  readonly #words: Int32Array;
  /** Key of the grammar being compiled, "" for none. */
  readonly compiling: SharedText;
  /** Why it is poisoned. */
  readonly reason: SharedText;

  constructor(buffer = new SharedArrayBuffer(4 * (1 + keyWords + reasonWords))) {
    this.buffer = buffer;
    this.#words = new Int32Array(buffer, 0, 1);
    this.compiling = new SharedText(buffer, 1, keyWords);
    this.reason = new SharedText(buffer, 1 + keyWords, reasonWords);
  }

  get health(): Health {
    return healths[Atomics.load(this.#words, 0)] ?? "poisoned";
  }

  /** Only gets worse. */
  worsen(health: Health): void {
    Atomics.store(this.#words, 0, Math.max(Atomics.load(this.#words, 0), healths.indexOf(health)));
  }
}
