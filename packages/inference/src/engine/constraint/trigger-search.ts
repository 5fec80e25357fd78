/** A trigger that appeared in free text. */
export interface TriggerHit {
  /** Which of the triggers, by position in the list given. */
  readonly index: number;
  /** Bytes of the last token after the trigger. */
  readonly rest: Uint8Array;
}

/**
 * Finds byte strings in text that arrives token by token, also across token borders. The one that ends first
 * wins, the longest of those that end together. Costs the new bytes plus one trigger length per token.
 */
export class TriggerSearch {
  readonly #triggers: readonly Uint8Array[];
  readonly #reach: number;
  #tail: Uint8Array = new Uint8Array(0);

  constructor(triggers: readonly Uint8Array[]) {
    this.#triggers = triggers;
    this.#reach = triggers.reduce((longest, trigger) => Math.max(longest, trigger.length - 1), 0);
  }

  /** Takes the bytes of a token. On a hit the search starts anew after it and has not seen `rest`. */
  feed(bytes: Uint8Array): TriggerHit | null {
    if (this.#triggers.length === 0) return null;
    const text = Buffer.concat([this.#tail, bytes]);
    let best: { index: number; end: number } | null = null;
    this.#triggers.forEach((trigger, index) => {
      const at = text.indexOf(trigger);
      if (at < 0) return;
      const end = at + trigger.length;
      const longest = best === null || trigger.length > (this.#triggers[best.index]?.length ?? 0);
      if (best === null || end < best.end || (end === best.end && longest)) best = { index, end };
    });
    return this.#settle(text, best);
  }

  /** Forgets what came before. */
  reset(): void {
    this.#tail = new Uint8Array(0);
  }

  #settle(text: Buffer, hit: { index: number; end: number } | null): TriggerHit | null {
    if (hit === null) {
      this.#tail = text.subarray(Math.max(0, text.length - this.#reach));
      return null;
    }
    this.reset();
    return { index: hit.index, rest: text.subarray(hit.end) };
  }
}
