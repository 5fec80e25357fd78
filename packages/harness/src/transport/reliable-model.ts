import { TransportError } from "../errors.ts";
import type { HistoryLog } from "../history/history-log.ts";
import type { ModelEvent, ModelPort } from "../loop/model-port.ts";
import { isFinishedCall } from "../loop/tool-call.ts";
import { type Clock, sleep } from "../ports/clock.ts";
import type { FrozenSettings } from "../request/frozen-settings.ts";
import type { ModelCall, ModelTransport } from "./model-transport.ts";
import { decideRetry, type RetryLimits } from "./retry-policy.ts";
import type { TransportSelector } from "./transport-selector.ts";

export interface ReliableModelOptions {
  readonly settings: FrozenSettings;
  readonly selector: TransportSelector;
  readonly clock: Clock;
  readonly limits: RetryLimits;
  /** A number in [0, 1), drawn for each backoff. */
  readonly random: () => number;
}

/** How far an attempt came before it failed. */
interface Progress {
  chained: boolean;
  callFinished: boolean;
  outputBegan: boolean;
}

/**
 * The model as the loop sees it: attempts over whichever transport is in use, tried again within bounds.
 *
 * A finished call is final, since it may already run: an attempt that breaks after one ends as `interrupted`,
 * and the loop goes on from what has finished. An attempt that breaks earlier is void as a whole, the loop is
 * told so (`restart`), and the answer is generated again from the same history.
 */
export class ReliableModel implements ModelPort {
  readonly #options: ReliableModelOptions;

  constructor(options: ReliableModelOptions) {
    this.#options = options;
  }

  async *respond(log: HistoryLog, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const { settings, selector, clock, limits } = this.#options;
    const call: ModelCall = { settings, history: log.view() };
    for (let attempt = 1; ; attempt++) {
      const transport = selector.current();
      const progress: Progress = { chained: false, callFinished: false, outputBegan: false };
      try {
        yield* attemptResponse(transport, call, signal, progress);
        selector.succeeded(transport.kind);
        return;
      } catch (error) {
        if (signal.aborted || !TransportError.isInstance(error)) throw error;
        const fellBack = selector.failed(transport.kind, error);
        if (fellBack) yield { type: "fallback", from: transport.kind, code: error.code };
        if (progress.callFinished) {
          yield { type: "interrupted", code: error.code };
          return;
        }
        const decision = decideRetry(
          { failure: error, attempt, chained: progress.chained, random: this.#options.random() },
          limits,
        );
        if (decision.kind === "give-up") throw error;
        if (progress.outputBegan) yield { type: "restart" };
        const delayMs = fellBack ? 0 : decision.delayMs;
        yield { type: "retry", attempt, delayMs, code: error.code, status: error.status };
        await sleep(clock, delayMs, signal);
      }
    }
  }

  async warmUp(log: HistoryLog, signal: AbortSignal): Promise<void> {
    await this.#options.selector
      .current()
      .warmUp({ settings: this.#options.settings, history: log.view() }, signal);
  }

  async close(): Promise<void> {
    await Promise.all(this.#options.selector.all().map((transport) => transport.close()));
  }
}

async function* attemptResponse(
  transport: ModelTransport,
  call: ModelCall,
  signal: AbortSignal,
  progress: Progress,
): AsyncGenerator<ModelEvent> {
  for await (const event of transport.respond(call, signal)) {
    if (event.type === "sent") progress.chained = event.mode === "delta";
    else if (event.type !== "created") progress.outputBegan = true;
    if (event.type === "item" && isFinishedCall(event.item)) progress.callFinished = true;
    yield event;
  }
}
