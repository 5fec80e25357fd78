import type { Item } from "@slipstream-stack/protocol";
import { deepFreeze } from "./deep-freeze.ts";

/**
 * One frozen item with its serialised form. An entry is made onto one predecessor and never changes, so two
 * histories that share an entry share everything before it: prefix comparison is one identity check.
 */
export interface LogEntry {
  readonly index: number;
  readonly item: Item;
  /** The item's JSON, made once; every request that carries the item carries this text. */
  readonly json: string;
  /** Bytes of `json` in UTF-8. */
  readonly bytes: number;
  /** Bytes of this and all earlier items, separators not counted. */
  readonly totalBytes: number;
  readonly previous: LogEntry | null;
}

/** The history as it stood at one moment; later appends do not show in it. */
export class HistoryView {
  readonly last: LogEntry | null;

  constructor(last: LogEntry | null) {
    this.last = last;
  }

  /** Number of items. */
  get length(): number {
    return this.last === null ? 0 : this.last.index + 1;
  }

  /** Bytes of all items, separators not counted. */
  get bytes(): number {
    return this.last?.totalBytes ?? 0;
  }

  /** The entries from `index` on, in order. The work follows their number, not the history's length. */
  from(index: number): LogEntry[] {
    const entries: LogEntry[] = [];
    for (let entry = this.last; entry !== null && entry.index >= index; entry = entry.previous) {
      entries.push(entry);
    }
    return entries.reverse();
  }
}

/** The append-only history of a session. Nothing is ever removed or rewritten; a rewrite is a new log. */
export class HistoryLog {
  #onAppend: ((item: Item) => void) | null;
  #last: LogEntry | null = null;

  /** `onAppend` hears of each item appended later, in order, when it stands in the log. */
  constructor(items: readonly Item[] = [], onAppend: ((item: Item) => void) | null = null) {
    this.#onAppend = null;
    this.append(items);
    this.#onAppend = onAppend;
  }

  get length(): number {
    return this.view().length;
  }

  /** Freezes the items, serialises each once and puts them at the end. Returns their entries. */
  append(items: readonly Item[]): LogEntry[] {
    return items.map((item) => {
      const json = JSON.stringify(item);
      const bytes = Buffer.byteLength(json);
      const entry: LogEntry = Object.freeze({
        index: (this.#last?.index ?? -1) + 1,
        item: deepFreeze(item),
        json,
        bytes,
        totalBytes: (this.#last?.totalBytes ?? 0) + bytes,
        previous: this.#last,
      });
      this.#last = entry;
      this.#onAppend?.(entry.item);
      return entry;
    });
  }

  /** The history as it stands now. */
  view(): HistoryView {
    return new HistoryView(this.#last);
  }

  /** All items, in order. */
  items(): Item[] {
    return this.view()
      .from(0)
      .map((entry) => entry.item);
  }
}
