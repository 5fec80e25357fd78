import type { LoopPorts } from "./loop-options.ts";
import type { RequestEnder } from "./request-ender.ts";
import type { RequestPool } from "./request-pool.ts";
import { prefillLeft, type RunningRequest } from "./running-request.ts";
import { sampleRow } from "./sample-row.ts";

/** Turns logits into tokens, and decides after each whether the output goes on. */
export class RequestSampler {
  readonly #pool: RequestPool;
  readonly #ender: RequestEnder;
  readonly #contextLength: number;
  readonly #ports: LoopPorts;

  constructor(pool: RequestPool, ender: RequestEnder, contextLength: number, ports: LoopPorts) {
    this.#pool = pool;
    this.#ender = ender;
    this.#contextLength = contextLength;
    this.#ports = ports;
  }

  /** Samples those that waited for a mask which is there now. */
  sampleHeld(): void {
    for (const request of this.#pool.all()) {
      const { heldLogits } = request;
      if (heldLogits === null || request.session?.ready() === false) continue;
      request.heldLogits = null;
      this.#sampleFrom(request, heldLogits, () => heldLogits);
    }
  }

  /** Samples from a row of the last batch; the logits are copied where they must wait for a mask. */
  sample(request: RunningRequest, logits: Float32Array): void {
    if (request.prefilledAt === 0) {
      request.prefilledAt = this.#ports.now();
      this.emitPrefill(request);
    }
    this.#sampleFrom(request, logits, () => logits.slice());
  }

  emitPrefill(request: RunningRequest): void {
    if (request.sampled > 0 || request.detached) return;
    const total = request.job.prompt.length;
    this.#ports.emit(request.job.id, { type: "prefill", done: total - prefillLeft(request), total });
  }

  #sampleFrom(request: RunningRequest, logits: Float32Array, hold: () => Float32Array): void {
    if (request.job.decode.maxTokens === 0 || request.detached) {
      this.#ender.end(request, "length", null, 0);
      return;
    }
    const outcome = sampleRow(request, logits);
    switch (outcome.type) {
      case "wait":
        request.heldLogits = hold();
        break;
      case "finished":
        this.#ender.end(request, "stop", null, request.sampled);
        break;
      case "failed":
        this.#ender.fail(request, outcome.invalid ? "invalid_request" : "engine_failed", outcome.message);
        break;
      case "token":
        this.#accept(request, outcome.id, outcome.logprob);
    }
  }

  #accept(request: RunningRequest, id: number, logprob: number | null): void {
    request.sequence?.tokens.append(Uint32Array.of(id));
    request.sampled += 1;
    request.credit -= 1;
    this.#ports.emit(request.job.id, {
      type: "tokens",
      ids: Uint32Array.of(id),
      ...(logprob === null ? {} : { logprobs: Float32Array.of(logprob) }),
    });
    const bytes = this.#ports.piece(id);
    const fired = firedRule(request, id, bytes);
    if (fired !== null) {
      this.#ender.end(request, "stop", fired.rule, fired.keep);
      return;
    }
    const full = (request.sequence?.tokens.length ?? 0) >= this.#contextLength;
    if (request.sampled >= request.job.decode.maxTokens || full) {
      this.#ender.end(request, "length", null, request.sampled);
    } else {
      request.session?.accept(id, bytes);
    }
  }
}

/** The stop rule that the newest token fires, and the ids that belong to the output. */
function firedRule(
  request: RunningRequest,
  id: number,
  bytes: Uint8Array,
): { rule: number; keep: number } | null {
  const { stopTokens } = request.job.decode;
  const stopToken = stopTokens.indexOf(id);
  if (stopToken >= 0) return { rule: stopToken, keep: request.sampled - 1 };
  const match = request.stops.push(bytes);
  return match === null ? null : { rule: stopTokens.length + match.rule, keep: match.keep };
}
