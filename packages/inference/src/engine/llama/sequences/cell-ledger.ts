/**
 * Who holds which KV cell of a unified cache, where forks share the cells of their common prefix. The library
 * tells only when it is full; this says how much is used, and what freeing a sequence would give back.
 */
export class CellLedger {
  readonly size: number;
  readonly #holders: Uint16Array;
  readonly #free: Uint32Array;
  #freeCount: number;
  readonly #cells = new Map<number, number[]>();

  constructor(size: number) {
    this.size = size;
    this.#holders = new Uint16Array(size);
    this.#free = Uint32Array.from({ length: size }, (_, index) => size - 1 - index);
    this.#freeCount = size;
  }

  get free(): number {
    return this.#freeCount;
  }

  get used(): number {
    return this.size - this.#freeCount;
  }

  /** Cells of a sequence. */
  length(sequence: number): number {
    return this.#cells.get(sequence)?.length ?? 0;
  }

  /** Gives a sequence `count` new cells. Throws where there are not so many: the caller makes room first. */
  append(sequence: number, count: number): void {
    if (count > this.#freeCount) throw new Error(`${count} cells asked, ${this.#freeCount} free`);
    const cells = this.#cells.get(sequence) ?? [];
    for (let added = 0; added < count; added += 1) {
      this.#freeCount -= 1;
      const cell = this.#free[this.#freeCount] ?? 0;
      this.#holders[cell] = 1;
      cells.push(cell);
    }
    this.#cells.set(sequence, cells);
  }

  /** Makes `target`, which must be empty, hold the first `length` cells of `source` too. */
  fork(source: number, target: number, length: number): void {
    const shared = (this.#cells.get(source) ?? []).slice(0, length);
    if (this.length(target) !== 0) throw new Error(`sequence ${target} is not empty`);
    for (const cell of shared) this.#holders[cell] = (this.#holders[cell] ?? 0) + 1;
    this.#cells.set(target, shared);
  }

  /** Cuts a sequence to its first `length` cells; those that nobody else holds become free. */
  truncate(sequence: number, length: number): void {
    const cells = this.#cells.get(sequence);
    if (cells === undefined) return;
    for (const cell of cells.splice(length)) {
      const holders = (this.#holders[cell] ?? 1) - 1;
      this.#holders[cell] = holders;
      if (holders > 0) continue;
      this.#free[this.#freeCount] = cell;
      this.#freeCount += 1;
    }
    if (length === 0) this.#cells.delete(sequence);
  }

  /** Cells that would become free with all these sequences together. */
  heldOnlyBy(sequences: Iterable<number>): number {
    const seen = new Uint16Array(this.size);
    let count = 0;
    for (const sequence of sequences) {
      for (const cell of this.#cells.get(sequence) ?? []) {
        const holders = (seen[cell] ?? 0) + 1;
        seen[cell] = holders;
        if (holders === this.#holders[cell]) count += 1;
      }
    }
    return count;
  }
}
