import type { EventBody, Item } from "@slipstream-stack/protocol";
import type { ParsedEvent, ParsedItem } from "../parse/parsed-event.ts";
import type { Emit } from "../respond/incoming.ts";
import type { OutputGate } from "./gate.ts";
import {
  deltaEvents,
  endEvents,
  finishedItem,
  type NewId,
  type OpenItem,
  openItem,
  startEvents,
} from "./output-item.ts";

export interface EgressOptions {
  readonly emit: Emit;
  readonly gate: OutputGate;
  readonly newId: NewId;
  /** Call ids given in advance (teacher forcing), in the order of the calls; null and later ones are new. */
  readonly callIds?: readonly (string | null)[];
}

/** The one ordered way out of a response: parse, then gate, then events (architecture, law 6). */
export interface Egress {
  /**
   * Takes parsed events in order. Resolves when the transport can take more; what the gate holds does not
   * hold up the parser.
   */
  take(events: readonly ParsedEvent[]): Promise<void>;
  /**
   * The output is over: waits for the gate's verdict and for everything to have left. With `incomplete` a
   * text that ended with the output is marked so. Nothing held leaves after a refusal.
   */
  finish(status: ParsedItem["status"]): Promise<{ verdict: "accept" | "refuse"; output: readonly Item[] }>;
  /** The items whose `output_item.done` has left so far. */
  finished(): readonly Item[];
}

class OrderedEgress implements Egress {
  readonly #options: EgressOptions;
  readonly #callIds: (string | null)[];
  readonly #output: Item[] = [];
  readonly #open = new Map<number, OpenItem>();
  /** Everything emitted so far, in order. */
  #tail: Promise<void> = Promise.resolve();
  /** A text whose end may still turn out to be a cut. */
  #ended: { readonly open: OpenItem; readonly item: ParsedItem } | null = null;
  #held: ParsedEvent[] | null = null;
  #release: Promise<void> = Promise.resolve();
  #holds = 0;
  #refused = false;

  constructor(options: EgressOptions) {
    this.#options = options;
    this.#callIds = [...(options.callIds ?? [])];
  }

  take(events: readonly ParsedEvent[]): Promise<void> {
    for (const event of events) this.#admit(event);
    return this.#tail;
  }

  async finish(
    status: ParsedItem["status"],
  ): Promise<{ verdict: "accept" | "refuse"; output: readonly Item[] }> {
    await this.#release;
    if ((await this.#options.gate.settled()) === "refuse") this.#refused = true;
    if (!this.#refused) this.#endText(status);
    await this.#tail;
    return { verdict: this.#refused ? "refuse" : "accept", output: this.#output };
  }

  finished(): readonly Item[] {
    return this.#output;
  }

  #admit(event: ParsedEvent): void {
    if (this.#refused) return;
    const isHold = this.#options.gate.admit(event) === "hold";
    if (isHold) this.#holds += 1;
    if (this.#held !== null) {
      this.#held.push(event);
    } else if (isHold) {
      this.#held = [event];
      this.#release = this.#awaitVerdict();
      // A gate that fails is reported by `finish`; until then what it holds stays held.
      this.#release.catch(() => undefined);
    } else {
      this.#write(event);
    }
  }

  async #awaitVerdict(): Promise<void> {
    for (;;) {
      const seen = this.#holds;
      if ((await this.#options.gate.settled()) === "refuse") {
        this.#refused = true;
        this.#held = null;
        return;
      }
      // An event held since has its own verdict to wait for.
      if (this.#holds === seen) break;
    }
    const held = this.#held ?? [];
    this.#held = null;
    for (const event of held) this.#write(event);
  }

  #write(event: ParsedEvent): void {
    if (event.type === "item-start") {
      this.#endText();
      const open = openItem(event.index, event.start, this.#options.newId, () => this.#nextCallId());
      this.#open.set(event.index, open);
      this.#emit(startEvents(open, event.start));
      return;
    }
    const open = this.#open.get(event.index);
    if (open === undefined) return;
    if (event.type === "delta") {
      this.#emit(deltaEvents(open, event.text));
      return;
    }
    this.#open.delete(event.index);
    this.#emit(endEvents(open, event.item));
    if (open.callId === null) this.#ended = { open, item: event.item };
    else this.#done(open, event.item, event.item.status);
  }

  /** Ends a text that has been waiting for its status. */
  #endText(status?: ParsedItem["status"]): void {
    const ended = this.#ended;
    this.#ended = null;
    if (ended === null) return;
    this.#done(ended.open, ended.item, status === "incomplete" ? status : ended.item.status);
  }

  #done(open: OpenItem, parsed: ParsedItem, status: ParsedItem["status"]): void {
    const item = finishedItem(open, parsed, status);
    this.#output.push(item);
    this.#emit([{ type: "response.output_item.done", output_index: open.index, item }]);
  }

  #nextCallId(): string {
    return this.#callIds.shift() ?? this.#options.newId("call");
  }

  #emit(events: readonly EventBody[]): void {
    for (const event of events) this.#tail = this.#tail.then(() => this.#options.emit(event));
  }
}

/** The egress stage of one response. */
export function createEgress(options: EgressOptions): Egress {
  return new OrderedEgress(options);
}
