/**
 * Raises the library's abort flag when every request of the running batch has been cancelled. The step loop may
 * have moved on meanwhile: an abort that hits the next batch costs a repetition and changes no result.
 */
export class AbortWatch {
  readonly #runningBatch: Int32Array;
  readonly #raise: () => void;
  readonly #cancelled = new Set<number>();

  constructor(runningBatch: SharedArrayBuffer, raise: () => void) {
    this.#runningBatch = new Int32Array(runningBatch);
    this.#raise = raise;
  }

  cancel(id: number): void {
    const count = Atomics.load(this.#runningBatch, 0);
    // An earlier cancel counts only within the running batch: older ids have ended long since.
    if (count === 0 || this.#cancelled.size > 1_024) this.#cancelled.clear();
    this.#cancelled.add(id);
    if (count === 0) return;
    for (let index = 1; index <= count; index += 1) {
      if (!this.#cancelled.has(Atomics.load(this.#runningBatch, index))) return;
    }
    this.#raise();
  }
}
