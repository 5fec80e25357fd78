import { StreamingText } from "./byte-text.ts";
import type { ItemStart, ParsedEvent, ParsedItem } from "./parsed-event.ts";

/** Collects the events of one reading, and counts the items. */
export class ItemEmitter {
  #events: ParsedEvent[] = [];
  #index = 0;

  /** Items that have ended. */
  get ended(): number {
    return this.#index;
  }

  start(start: ItemStart): void {
    this.#events.push({ type: "item-start", index: this.#index, start });
  }

  delta(text: string): void {
    if (text !== "") this.#events.push({ type: "delta", index: this.#index, text });
  }

  end(item: ParsedItem, endByte: number): void {
    this.#events.push({ type: "item-end", index: this.#index, item, endByte });
    this.#index += 1;
  }

  take(): ParsedEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }
}

/** An item of text (a message, a thought) while it is being written. */
export class OpenText {
  readonly #emitter: ItemEmitter;
  readonly #kind: "message" | "reasoning";
  readonly #decoder = new StreamingText();
  #text = "";

  constructor(emitter: ItemEmitter, kind: "message" | "reasoning") {
    this.#emitter = emitter;
    this.#kind = kind;
    emitter.start({ kind });
  }

  write(binary: string): void {
    this.#append(this.#decoder.write(binary));
  }

  end(endByte: number, status: "completed" | "incomplete"): void {
    this.#append(this.#decoder.end());
    const text = this.#text;
    this.#emitter.end(
      this.#kind === "message"
        ? {
            type: "message",
            role: "assistant",
            status,
            content: [{ type: "output_text", text, annotations: [] }],
          }
        : { type: "reasoning", status, summary: [], content: [{ type: "reasoning_text", text }] },
      endByte,
    );
  }

  #append(text: string): void {
    this.#text += text;
    this.#emitter.delta(text);
  }
}

/** What an output without any text or call comes to: a message that says nothing, so that no answer is without items. */
export function emptyMessage(): ParsedEvent[] {
  const emitter = new ItemEmitter();
  new OpenText(emitter, "message").end(0, "completed");
  return emitter.take();
}
