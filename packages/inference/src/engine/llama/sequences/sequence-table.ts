import { hashBlockSize } from "../../../kv/prefix-hash.ts";
import type { Hash, PrefixRef } from "../../../port/prefix.ts";
import type { Evaluator } from "../step-loop/evaluator.ts";
import { BlockLedger } from "./block-ledger.ts";
import { CellLedger } from "./cell-ledger.ts";
import { extendsTip, type PrefixMatch } from "./match-prefix.ts";
import { isResident, type Sequence, shareable } from "./sequence.ts";
import { TokenLog } from "./token-log.ts";

export interface SequenceLimits {
  /** Most bytes of parked state. */
  readonly parkedBytes: number;
  /** Most cells that idle sequences keep for themselves while others run. */
  readonly hotIdleTokens: number;
}

/** Where the tokens lay that a request need not evaluate. */
export interface CachedTokens {
  readonly hot: number;
  readonly ram: number;
}

/** Every sequence, resident or parked, and what they cost. The only caller of the evaluator's cache. */
export class SequenceTable {
  readonly cells: CellLedger;
  readonly blocks = new BlockLedger();
  readonly #evaluator: Evaluator;
  readonly #limits: SequenceLimits;
  readonly #now: () => number;
  readonly #sequences = new Set<Sequence>();
  readonly #freeSlots: number[];
  #clock = 0;
  #parkedBytes = 0;
  /** Kept between steps: only sequences that come, go or change hands alter it. */
  #reclaimable: number | null = null;

  constructor(evaluator: Evaluator, limits: SequenceLimits, now: () => number) {
    this.#now = now;
    this.#evaluator = evaluator;
    this.#limits = limits;
    this.cells = new CellLedger(evaluator.size);
    this.#freeSlots = Array.from({ length: evaluator.maxSequences }, (_, index) => index).reverse();
  }

  get all(): Iterable<Sequence> {
    return this.#sequences;
  }

  get parkedBytes(): number {
    return this.#parkedBytes;
  }

  get freeSlots(): number {
    return this.#freeSlots.length;
  }

  get parkedCount(): number {
    return [...this.#sequences].filter((sequence) => sequence.state !== null).length;
  }

  /** Cells that only idle sequences hold: what parking them would free. */
  reclaimable(): number {
    this.#reclaimable ??= this.cells.heldOnlyBy(this.#idleResident().map(({ slot }) => slot));
    return this.#reclaimable;
  }

  touch(sequence: Sequence): void {
    this.#reclaimable = null;
    this.#clock += 1;
    sequence.usedAt = this.#clock;
  }

  /** Makes a sequence the first to be parked or dropped. */
  demote(sequence: Sequence): void {
    sequence.usedAt = -1;
  }

  /**
   * A sequence for a prompt: the match extended where it is an idle tip, else forked, or a new one. The caller
   * has made room for a parked match and a free sequence number. Others may match its first `visible` tokens.
   */
  open(
    job: { readonly id: string; readonly root: Hash; readonly prompt: Uint32Array },
    match: PrefixMatch | null,
    visible: number,
  ): { sequence: Sequence; cached: CachedTokens } {
    const { sequence, cached } =
      match === null
        ? {
            sequence: this.#create(new TokenLog(job.root, new Uint32Array(0))),
            cached: { hot: 0, ram: 0 },
          }
        : this.#reuse(match);
    sequence.owner = job.id;
    sequence.tenancy += 1;
    sequence.tokens.append(job.prompt.subarray(sequence.evaluated));
    sequence.visible = visible;
    this.touch(sequence);
    return { sequence, cached };
  }

  /** Makes a sequence resident; false: there is no room. A parked state comes back, else nothing is held. */
  restore(sequence: Sequence): boolean {
    if (isResident(sequence)) return true;
    const slot = this.#freeSlots.pop();
    if (slot === undefined) return false;
    const { state } = sequence;
    if (state !== null) {
      if (sequence.evaluated > this.cells.free || !this.#evaluator.restoreState(slot, state)) {
        this.#evaluator.remove(slot);
        this.#freeSlots.push(slot);
        return false;
      }
      this.cells.append(slot, sequence.evaluated);
      this.#forgetState(sequence);
    }
    this.#move(sequence, slot);
    return true;
  }

  /** Moves a resident sequence to RAM within the byte limit; where that fails, its evaluated tokens are lost. */
  park(sequence: Sequence): void {
    if (!isResident(sequence)) return;
    this.#reclaimable = null;
    const state = this.#limits.parkedBytes > 0 ? this.#evaluator.saveState(sequence.slot) : null;
    const fits = state !== null && this.#makeRoomForState(state.length, sequence);
    this.#freeSlot(sequence);
    if (state !== null && fits) {
      this.#move(sequence, null);
      sequence.state = state;
      this.#parkedBytes += state.length;
    } else {
      this.#announce(sequence, 0);
      sequence.evaluated = 0;
      this.#move(sequence, null);
      if (sequence.owner === null) this.#sequences.delete(sequence);
    }
  }

  /** Forgets a sequence and frees what it holds. */
  drop(sequence: Sequence): void {
    this.#reclaimable = null;
    if (isResident(sequence)) this.#freeSlot(sequence);
    this.#announce(sequence, 0);
    this.#forgetState(sequence);
    sequence.slot = null;
    sequence.evaluated = 0;
    this.#sequences.delete(sequence);
  }

  /** Cuts a resident sequence to `length` tokens. A cache that cannot be cut there is emptied. */
  truncate(sequence: Sequence & { slot: number }, length: number): void {
    if (length >= sequence.evaluated) {
      sequence.tokens.truncate(length);
      return;
    }
    this.#reclaimable = null;
    // Blocks are told off by hash, so before the log forgets them.
    this.#announce(sequence, Math.min(sequence.announced, Math.floor(length / hashBlockSize)));
    sequence.tokens.truncate(length);
    const cut = this.#evaluator.truncate(sequence.slot, length);
    sequence.evaluated = cut ? length : 0;
    if (!cut) this.#announce(sequence, 0);
    this.cells.truncate(sequence.slot, sequence.evaluated);
  }

  /** Ends the ownership of a sequence, cut to `length`; returns what stays held. */
  release(sequence: Sequence, length: number): PrefixRef | null {
    if (isResident(sequence)) this.truncate(sequence, Math.min(length, sequence.evaluated));
    // A parked state cannot be cut in place: its surplus tokens stay behind the cut, unseen.
    else sequence.visible = Math.min(sequence.visible, length);
    sequence.tokens.truncate(sequence.evaluated);
    sequence.owner = null;
    const held = Math.min(sequence.evaluated, length);
    if (held === 0) {
      this.drop(sequence);
      return null;
    }
    this.touch(sequence);
    return sequence.tokens.ref(held);
  }

  /** Of idle sequences that begin alike, keeps the longest: it serves the requests of all. */
  absorb(sequence: Sequence): void {
    for (const other of [...this.#sequences]) {
      if (other === sequence || other.owner !== null || other.tokens.root !== sequence.tokens.root) continue;
      if (contains(sequence, other)) {
        this.drop(other);
      } else if (contains(other, sequence)) {
        this.touch(other);
        this.drop(sequence);
        return;
      }
    }
  }

  /** Notes that `count` more tokens of a resident sequence have been evaluated. */
  evaluated(sequence: Sequence & { slot: number }, count: number): void {
    this.cells.append(sequence.slot, count);
    sequence.evaluated += count;
    this.advance(sequence);
  }

  /** Tells the block ledger about whole blocks that came or went. */
  advance(sequence: Sequence): void {
    this.#announce(sequence, Math.floor(Math.min(sequence.evaluated, sequence.visible) / hashBlockSize));
  }

  /** Parks the idle sequence used longest ago, save `except`; false: there is none. */
  parkIdle(except: Sequence | null): boolean {
    const [oldest] = this.#idleResident().filter((sequence) => sequence !== except);
    if (oldest === undefined) return false;
    this.park(oldest);
    return true;
  }

  /** Parks every idle sequence save `except`. */
  parkAllIdle(except: Sequence | null): void {
    for (const sequence of this.#idleResident()) if (sequence !== except) this.park(sequence);
  }

  /** Parks idle sequences beyond the hot set: on a CPU attention pays for every resident cell. */
  coolDown(): void {
    if (this.#limits.parkedBytes === 0) return;
    while (this.reclaimable() > this.#limits.hotIdleTokens) {
      if (!this.parkIdle(null)) return;
    }
  }

  #idleResident(): (Sequence & { slot: number })[] {
    return [...this.#sequences]
      .filter(isResident)
      .filter((sequence) => sequence.owner === null)
      .sort(this.#leastWanted());
  }

  /** First what is not retained, or least; then what was used longest ago. */
  #leastWanted(): (a: Sequence, b: Sequence) => number {
    const now = this.#now();
    const weight = ({ retain }: Sequence): number =>
      retain !== null && retain.until > now ? retain.priority : 0;
    return (a, b) => weight(a) - weight(b) || a.usedAt - b.usedAt;
  }

  #create(tokens: TokenLog): Sequence {
    const sequence: Sequence = {
      tokens,
      evaluated: 0,
      slot: null,
      state: null,
      owner: null,
      tenancy: 0,
      usedAt: 0,
      retain: null,
      visible: Number.MAX_SAFE_INTEGER,
      announced: 0,
    };
    this.#sequences.add(sequence);
    return sequence;
  }

  #reuse(match: PrefixMatch): { sequence: Sequence; cached: CachedTokens } {
    const { sequence, length } = match;
    const tier = isResident(sequence) ? "hot" : "ram";
    if (extendsTip(match)) {
      return { sequence, cached: { hot: 0, ram: 0, [tier]: length } };
    }
    const fork = this.#create(sequence.tokens.fork(length));
    const slot = this.#takeSlot();
    fork.slot = slot;
    if (isResident(sequence)) {
      this.#evaluator.fork(sequence.slot, slot, length);
      this.cells.fork(sequence.slot, slot, length);
      fork.evaluated = length;
    } else {
      this.#unpark(sequence, fork, slot, length);
    }
    if (fork.evaluated === 0) fork.tokens.truncate(0);
    this.advance(fork);
    this.touch(sequence);
    return { sequence: fork, cached: { hot: 0, ram: 0, [tier]: fork.evaluated } };
  }

  #takeSlot(): number {
    const slot = this.#freeSlots.pop();
    if (slot === undefined) throw new Error("no free sequence: the caller makes room first");
    return slot;
  }

  /** Copies a parked state into a fork and cuts it there: the parked one stays as it is. */
  #unpark(parked: Sequence, fork: Sequence, slot: number, length: number): void {
    const room = parked.evaluated <= this.cells.free;
    if (!room || parked.state === null || !this.#evaluator.restoreState(slot, parked.state)) {
      this.#evaluator.remove(slot);
      return;
    }
    this.cells.append(slot, parked.evaluated);
    fork.evaluated = this.#evaluator.truncate(slot, length) ? length : 0;
    this.cells.truncate(slot, fork.evaluated);
  }

  #freeSlot(sequence: Sequence & { slot: number }): void {
    this.#evaluator.remove(sequence.slot);
    this.cells.truncate(sequence.slot, 0);
    this.#freeSlots.push(sequence.slot);
  }

  #makeRoomForState(bytes: number, except: Sequence): boolean {
    const parked = [...this.#sequences]
      .filter((sequence) => sequence.state !== null && sequence.owner === null && sequence !== except)
      .sort(this.#leastWanted());
    for (const sequence of parked) {
      if (this.#parkedBytes + bytes <= this.#limits.parkedBytes) break;
      this.drop(sequence);
    }
    return this.#parkedBytes + bytes <= this.#limits.parkedBytes;
  }

  #forgetState(sequence: Sequence): void {
    if (sequence.state === null) return;
    this.#parkedBytes -= sequence.state.length;
    sequence.state = null;
  }

  /** Changes the tier of a sequence, so that its blocks leave the one and enter the other. */
  #move(sequence: Sequence, slot: number | null): void {
    const { announced } = sequence;
    this.#announce(sequence, 0);
    sequence.slot = slot;
    this.#announce(sequence, announced);
  }

  #announce(sequence: Sequence, count: number): void {
    const tier = isResident(sequence) ? "hot" : "ram";
    const hashes = (from: number, to: number): Hash[] =>
      Array.from({ length: to - from }, (_, index) => sequence.tokens.blockHash(from + index + 1));
    if (count > sequence.announced) {
      this.blocks.store(
        tier,
        sequence.tokens.blockHash(sequence.announced),
        hashes(sequence.announced, count),
      );
    } else if (count < sequence.announced) {
      this.blocks.remove(tier, hashes(count, sequence.announced));
    }
    sequence.announced = count;
  }
}

/** True if everything that others may match in `part` can be matched in `whole`, too. */
function contains(whole: Sequence, part: Sequence): boolean {
  const { length } = part.tokens;
  // One that waits to be settled is not known in full yet.
  const settled = part.visible >= length;
  return settled && length <= shareable(whole) && whole.tokens.holds(part.tokens.ref(length));
}
