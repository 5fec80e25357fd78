import type { EngineEvent, Ticket, Vocabulary } from "@slipstream-stack/inference";
import { emptyMessage } from "../parse/item-emitter.ts";
import type { OutputParser, ParsedEvent } from "../parse/parsed-event.ts";
import { TokenBytes } from "./token-bytes.ts";

type Admitted = Extract<EngineEvent, { type: "admitted" }>;
type End = Extract<EngineEvent, { type: "end" }>;
type Failure = Extract<EngineEvent, { type: "error" }>;

/** What the engine did for one request. */
export interface Generation {
  readonly admitted: Admitted | null;
  /** Exactly one of `end` and `failure` is there. */
  readonly end: End | null;
  readonly failure: Failure | null;
  /** Sampled ids that belong to the output. */
  readonly ids: Uint32Array;
  /** Where each output item ends among them. */
  readonly ends: readonly { readonly tokens: number; readonly aligned: boolean }[];
  /** Milliseconds (on the clock given) when the first token came. */
  readonly firstTokenAt: number | null;
}

export interface GenerationPorts {
  readonly vocabulary: Vocabulary;
  readonly stopTokens: ReadonlySet<number>;
  readonly parser: OutputParser;
  readonly now: () => number;
  /** Takes what was parsed; resolves when more may come, which is what slows a fast engine to a slow reader. */
  readonly take: (events: readonly ParsedEvent[]) => Promise<void>;
}

/** Pulls a ticket to its end: ids to bytes, bytes to items. Never throws for what the engine reports. */
export async function generate(ticket: Ticket, ports: GenerationPorts): Promise<Generation> {
  const tokens = new TokenBytes(ports.vocabulary);
  const endBytes: number[] = [];
  let admitted: Admitted | null = null;
  let end: End | null = null;
  let failure: Failure | null = null;
  let firstTokenAt: number | null = null;
  const take = async (events: readonly ParsedEvent[]) => {
    for (const event of events) if (event.type === "item-end") endBytes[event.index] = event.endByte;
    if (events.length > 0) await ports.take(events);
  };
  for await (const event of ticket.events) {
    if (event.type === "admitted") admitted = event;
    else if (event.type === "end") end = event;
    else if (event.type === "error") failure = event;
    else if (event.type === "tokens") {
      firstTokenAt ??= ports.now();
      await take(ports.parser.push(tokens.push(event.ids.filter((id) => !ports.stopTokens.has(id)))));
    }
  }
  if (end !== null) {
    await take(ports.parser.finish());
    if (endBytes.length === 0) await take(emptyMessage());
  }
  const ends = endBytes.map((byte, index) =>
    index === endBytes.length - 1 ? { tokens: tokens.length, aligned: true } : tokens.at(byte),
  );
  return { admitted, end, failure, ids: tokens.ids(), ends, firstTokenAt };
}
