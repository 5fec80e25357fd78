/** Which stop rule fired (index into the stop strings) and how many tokens lie wholly before it. */
export interface StopMatch {
  readonly rule: number;
  readonly keep: number;
}

/** Finds stop byte strings in a stream of token bytes, across token borders. */
export class StopMatcher {
  readonly #stops: readonly Uint8Array[];
  readonly #longest: number;
  #window: Buffer = Buffer.alloc(0);
  /** Index of the token that each byte of the window came from. */
  #owners: number[] = [];
  #tokens = 0;

  constructor(stops: readonly Uint8Array[]) {
    this.#stops = stops;
    this.#longest = Math.max(0, ...stops.map((stop) => stop.length));
  }

  /** Takes the bytes of the next token. The earliest match wins, at one place the first rule. */
  push(bytes: Uint8Array): StopMatch | null {
    const token = this.#tokens;
    this.#tokens += 1;
    if (this.#longest === 0) return null;
    this.#window = Buffer.concat([this.#window, bytes]);
    for (let index = 0; index < bytes.length; index += 1) this.#owners.push(token);
    const match = this.#find();
    const surplus = this.#window.length - (this.#longest - 1);
    if (surplus > 0) {
      this.#window = this.#window.subarray(surplus);
      this.#owners.splice(0, surplus);
    }
    return match;
  }

  #find(): StopMatch | null {
    let found: { rule: number; at: number } | null = null;
    for (const [rule, stop] of this.#stops.entries()) {
      if (stop.length === 0) continue;
      const at = this.#window.indexOf(stop);
      if (at >= 0 && (found === null || at < found.at)) found = { rule, at };
    }
    return found === null ? null : { rule: found.rule, keep: this.#owners[found.at] ?? 0 };
  }
}
