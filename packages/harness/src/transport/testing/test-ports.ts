import type { ToolRunner } from "../../loop/ports.ts";
import type { ToolCall, ToolResult } from "../../loop/tool-call.ts";
import type { Clock } from "../../ports/clock.ts";
import type { IdSource } from "../../ports/ids.ts";

/** Counts up: the same run gives the same identifiers. */
export class CountingIds implements IdSource {
  #count = 0;

  next(prefix: string): string {
    this.#count += 1;
    return `${prefix}_${this.#count}`;
  }
}

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** A clock that stands still until a test moves it. */
export class ManualClock implements Clock {
  #now = 0;
  #timers = new Set<Timer>();

  now(): number {
    return this.#now;
  }

  wallTime(): number {
    return 1_700_000_000_000 + this.#now;
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer = { at: this.#now + milliseconds, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Moves time forward and fires what is due, in order. */
  advance(milliseconds: number): void {
    const target = this.#now + milliseconds;
    for (;;) {
      const due = [...this.#timers].filter((timer) => timer.at <= target).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers.delete(due);
      this.#now = due.at;
      due.callback();
    }
    this.#now = target;
  }

  get waiting(): number {
    return this.#timers.size;
  }
}

/**
 * A clock on which waiting costs nothing: a timer shorter than the limit fires at the next turn of the event
 * loop and moves time by its length; longer ones (idle limits) never fire.
 */
export class HastyClock implements Clock {
  readonly waits: number[] = [];
  readonly #limitMs: number;
  #now = 0;

  constructor(limitMs = 9_000) {
    this.#limitMs = limitMs;
  }

  now(): number {
    return this.#now;
  }

  wallTime(): number {
    return 1_700_000_000_000 + this.#now;
  }

  after(milliseconds: number, callback: () => void): () => void {
    if (milliseconds > this.#limitMs) return () => {};
    const timer = setImmediate(() => {
      this.#now += milliseconds;
      this.waits.push(milliseconds);
      callback();
    });
    return () => clearImmediate(timer);
  }

  skip(milliseconds: number): void {
    this.#now += milliseconds;
  }
}

/** Tools that note each call and answer with `output of <call id>`. */
export class RecordingTools implements ToolRunner {
  readonly calls: ToolCall[] = [];

  async run(call: ToolCall): Promise<ToolResult> {
    this.calls.push(call);
    return { output: `output of ${call.callId}`, isError: false };
  }
}
