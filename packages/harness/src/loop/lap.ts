import { contentText, type Item, isKnownItem, itemIdentity } from "@slipstream-stack/protocol";
import type { EmitTurnEvent } from "../events.ts";
import type { HistoryLog } from "../history/history-log.ts";
import { LapMeter } from "./lap-meter.ts";
import type { ModelEvent } from "./model-port.ts";
import type { TurnPorts } from "./ports.ts";
import { callOutput, isCutCall, type ToolCall, type ToolResult, toolCallOf } from "./tool-call.ts";

/** How a lap ended, and what the next one has to know. */
export type LapResult =
  | { readonly kind: "called"; readonly next: LapStart }
  | { readonly kind: "answered"; readonly text: string }
  | { readonly kind: "incomplete"; readonly reason: string; readonly text: string };

/** What a lap begins with. */
export interface LapStart {
  readonly lap: number;
  /** When the last response ended, on the loop's clock. */
  readonly previousEnd: number | null;
  /** Calls of a response that broke off, by identity: a server that plays them again does not run them again. */
  readonly finishedCalls: ReadonlySet<string>;
}

export const firstLap: LapStart = { lap: 1, previousEnd: null, finishedCalls: new Set() };

interface RunningCall {
  readonly call: ToolCall;
  readonly identity: string;
  readonly result: Promise<ToolResult>;
}

/**
 * One model request and its tool calls. A call is dispatched as soon as it has arrived, while the response
 * goes on; from then on it and all before it stand in the log. Items without a call behind them enter the log
 * when the response ends, so an answer that breaks off is generated again from the same history.
 */
export class Lap {
  readonly #log: HistoryLog;
  readonly #ports: TurnPorts;
  readonly #signal: AbortSignal;
  readonly #emit: EmitTurnEvent;
  readonly #start: LapStart;
  readonly #meter: LapMeter;
  readonly #running: RunningCall[] = [];
  #pending: Item[] = [];
  #texts: string[] = [];
  #incomplete: string | null = null;
  #isInterrupted = false;
  #sawCall = false;

  constructor(log: HistoryLog, ports: TurnPorts, signal: AbortSignal, emit: EmitTurnEvent, start: LapStart) {
    this.#log = log;
    this.#ports = ports;
    this.#signal = signal;
    this.#emit = emit;
    this.#start = start;
    this.#meter = new LapMeter(ports.clock, start.lap, start.previousEnd);
    emit({ type: "lap-start", lap: start.lap });
  }

  /** Runs the lap. Every call in the log has its output there when this settles, whether well or by a throw. */
  async run(): Promise<LapResult> {
    try {
      for await (const event of this.#ports.model.respond(this.#log, this.#signal)) this.#take(event);
    } finally {
      await this.#collectOutputs();
      this.#emit({ type: "lap-end", figures: this.#meter.figures(), usage: this.#meter.usage });
    }
    if (this.#sawCall) return { kind: "called", next: this.#next() };
    const text = this.#texts.join("\n\n");
    if (this.#incomplete !== null) return { kind: "incomplete", reason: this.#incomplete, text };
    return { kind: "answered", text };
  }

  #next(): LapStart {
    const ran = this.#running.map((running) => running.identity);
    const finishedCalls = this.#isInterrupted ? [...this.#start.finishedCalls, ...ran] : [];
    return {
      lap: this.#start.lap + 1,
      previousEnd: this.#meter.endedAt,
      finishedCalls: new Set(finishedCalls),
    };
  }

  #take(event: ModelEvent): void {
    switch (event.type) {
      case "sent":
        this.#meter.requestSent(event);
        this.#emit({
          type: "request",
          transport: event.transport,
          mode: event.mode,
          bytes: event.bytes,
          itemBytes: event.itemBytes,
        });
        return;
      case "created":
        return;
      case "item-started":
        this.#meter.outputSeen();
        return;
      case "text-delta":
      case "reasoning-delta":
        this.#meter.outputSeen();
        this.#emit(event);
        return;
      case "item":
        this.#meter.outputSeen();
        this.#takeItem(event.item);
        return;
      case "restart":
        this.#pending = [];
        this.#texts = [];
        this.#emit(event);
        return;
      case "retry":
      case "fallback":
        this.#emit(event);
        return;
      case "interrupted":
        this.#isInterrupted = true;
        this.#meter.responseEnded(null, null);
        this.#commit();
        this.#emit(event);
        return;
      default:
        this.#meter.responseEnded(event.responseId, event.usage);
        this.#incomplete = event.reason;
        this.#commit();
    }
  }

  #takeItem(item: Item): void {
    if (isCutCall(item)) return;
    const call = toolCallOf(item);
    this.#sawCall ||= call !== null;
    if (call !== null && this.#start.finishedCalls.has(itemIdentity(item))) return;
    this.#emit({ type: "item", item });
    this.#pending.push(item);
    if (isKnownItem(item) && item.type === "message") this.#texts.push(contentText(item.content));
    if (call === null) return;
    this.#commit();
    this.#running.push({ call, identity: itemIdentity(item), result: this.#dispatch(call) });
  }

  /** Puts the items that have become final into the log. */
  #commit(): void {
    this.#log.append(this.#pending);
    this.#pending = [];
  }

  async #dispatch(call: ToolCall): Promise<ToolResult> {
    const { clock, tools } = this.#ports;
    this.#emit({ type: "tool-start", callId: call.callId, name: call.name, input: call.input });
    const startedAt = clock.now();
    const result = await tools.run(call, this.#signal);
    const ms = clock.now() - startedAt;
    this.#meter.toolRan(ms);
    this.#emit({ type: "tool-end", callId: call.callId, ...result, ms });
    return result;
  }

  /** In the order of the calls, whichever ended first: the history must not depend on who was faster. */
  async #collectOutputs(): Promise<void> {
    for (const { call, result } of this.#running) {
      this.#log.append([callOutput(call, (await result).output)]);
    }
  }
}
