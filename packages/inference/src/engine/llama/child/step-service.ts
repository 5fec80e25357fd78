import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import type { EngineEvent, LoadReport } from "../../../port/token-engine.ts";
import type { ConstraintHost } from "../../constraint/constraint-session.ts";
import { encodeFrame } from "../../wire/frame.ts";
import type { ToChild, ToParent } from "../../wire/messages.ts";
import type { Evaluator } from "../step-loop/evaluator.ts";
import type { Job } from "../step-loop/job.ts";
import { defaultLoopOptions } from "../step-loop/loop-options.ts";
import { StepLoop } from "../step-loop/step-loop.ts";
import { validateJob } from "../step-loop/validate-job.ts";
import { PromptIntake } from "./prompt-intake.ts";
import type { WorkerStart } from "./worker-protocol.ts";

export interface ServicePorts {
  readonly now: () => number;
  readonly drawSeed: () => number;
  readonly send: (frame: Uint8Array<ArrayBuffer>) => void;
  readonly constraints: ConstraintHost;
}

const idleTickMs = 250;
const maskPollMs = 1;

/** The step loop as a service: messages in, one frame out per step for all requests together. */
export class StepService {
  readonly #loop: StepLoop;
  readonly #intake: PromptIntake;
  readonly #ports: ServicePorts;
  readonly #limits: { readonly vocabularySize: number; readonly contextLength: number };
  readonly #parkedBytesLimit: number;
  readonly #runningBatch: Int32Array;
  #events: [number, EngineEvent][] = [];
  #wake: (() => void) | null = null;

  constructor(evaluator: Evaluator, start: WorkerStart, contextLength: number, ports: ServicePorts) {
    const { pieces } = start.vocabulary;
    this.#ports = ports;
    this.#limits = { vocabularySize: pieces.length, contextLength };
    this.#parkedBytesLimit = start.options.parkedBytes;
    this.#runningBatch = new Int32Array(start.runningBatch);
    const { parkedBytes, deterministic } = start.options;
    const options = { ...defaultLoopOptions, contextLength, parkedBytes, deterministic };
    this.#loop = new StepLoop(evaluator, options, {
      now: ports.now,
      drawSeed: ports.drawSeed,
      piece: (id) => pieces[id] ?? new Uint8Array(0),
      openConstraints: (constraints) => ports.constraints.open(constraints),
      emit: (id, event) => this.#events.push([Number(id), event]),
      watchBatch: (ids) => this.#publishBatch(ids),
    });
    this.#intake = new PromptIntake(this.#loop.table);
  }

  receive(message: ToChild): void {
    switch (message.type) {
      case "submit": {
        this.#ports.constraints.prepare(message.decode.constraints.map(({ source }) => source));
        const job = this.#intake.submit(message);
        if ("have" in job) this.#send({ type: "have", id: message.id, length: job.have });
        else this.#start(job);
        break;
      }
      case "missing": {
        const job = this.#intake.complete(message.id, message.ids);
        if (job !== null) this.#start(job);
        break;
      }
      case "cancel":
        this.#cancel(message.id);
        break;
      case "credit":
        this.#loop.credit(String(message.id), message.count);
        break;
      case "release":
        if (this.#intake.cancel(message.id)) this.#events.push([message.id, neverBegun]);
        else this.#loop.release(String(message.id));
        break;
      case "settle":
        this.#loop.settle(String(message.id), message.keep);
        break;
      case "hint":
        this.#loop.hint(message.prefix, message.kind);
        break;
      case "prepare":
        this.#ports.constraints.prepare(message.sources);
        break;
      case "hello":
      case "encode":
        break;
    }
    this.#wake?.();
  }

  /** Steps for ever; between two steps the thread's messages are taken. */
  async run(): Promise<never> {
    for (;;) {
      const outcome = this.#loop.step();
      this.#flush();
      if (outcome === "evaluated") await nextTurn();
      else if (outcome === "waiting") await delay(maskPollMs);
      else await this.#rest();
    }
  }

  #start(job: Job): void {
    const message = validateJob(job, this.#limits);
    if (message === null) this.#loop.submit(job);
    else {
      const error = {
        type: "error",
        code: "invalid_request",
        message,
        retryable: false,
        evaluated: 0,
      } as const;
      this.#events.push([Number(job.id), error]);
    }
  }

  #cancel(id: number): void {
    if (!this.#intake.cancel(id)) this.#loop.cancel(String(id));
    else this.#events.push([id, neverBegun]);
  }

  async #rest(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = this.#loop.watchesClock ? setTimeout(resolve, idleTickMs).unref() : undefined;
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = null;
  }

  #publishBatch(ids: readonly string[]): void {
    // The count is written last and cleared first, so that the other thread never reads a mixture.
    Atomics.store(this.#runningBatch, 0, 0);
    for (const [index, id] of ids.entries()) Atomics.store(this.#runningBatch, index + 1, Number(id));
    Atomics.store(this.#runningBatch, 0, ids.length);
  }

  #flush(): void {
    const blocks = this.#loop.table.blocks.take();
    if (this.#events.length === 0 && blocks.length === 0) return;
    const events = this.#events;
    this.#events = [];
    this.#send({ type: "step", events, blocks, load: this.#load() });
  }

  #load(): LoadReport {
    const { table, totals } = this.#loop;
    const { running, waiting, uncachedTokens } = this.#loop.counts();
    return {
      running,
      waiting,
      parked: table.parkedCount,
      kvTokensUsed: table.cells.used,
      kvTokensCapacity: table.cells.size,
      parkedBytes: table.parkedBytes,
      parkedBytesLimit: this.#parkedBytesLimit,
      uncachedTokensWaiting: uncachedTokens,
      tokensPrefilled: totals.prefilled,
      tokensDecoded: totals.decoded,
      steps: totals.steps,
    };
  }

  #send(message: ToParent): void {
    this.#ports.send(encodeFrame(message));
  }
}

const neverBegun: EngineEvent = {
  type: "error",
  code: "cancelled",
  message: "The request was cancelled before it began.",
  retryable: false,
  evaluated: 0,
};
