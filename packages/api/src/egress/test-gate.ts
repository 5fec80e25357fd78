import type { ParsedEvent } from "../parse/parsed-event.ts";
import type { OutputGate } from "./gate.ts";

/** A gate for tests: holds the events it is told to, until a verdict is given by hand. */
export class TestGate implements OutputGate {
  readonly seen: ParsedEvent[] = [];
  readonly #holds: (event: ParsedEvent) => boolean;
  #waiting: ((verdict: "accept" | "refuse") => void)[] = [];
  #isOpen = false;
  #isRefused = false;

  constructor(holds: (event: ParsedEvent) => boolean) {
    this.#holds = holds;
  }

  admit(event: ParsedEvent): "pass" | "hold" {
    this.seen.push(event);
    if (!this.#holds(event)) return "pass";
    this.#isOpen = true;
    return "hold";
  }

  settled(): Promise<"accept" | "refuse"> {
    if (this.#isRefused) return Promise.resolve("refuse");
    if (!this.#isOpen) return Promise.resolve("accept");
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Gives the verdict on everything held so far. */
  settle(verdict: "accept" | "refuse"): void {
    this.#isOpen = false;
    if (verdict === "refuse") this.#isRefused = true;
    for (const resolve of this.#waiting.splice(0)) resolve(verdict);
  }
}
