import type { EngineEvent } from "../../../port/token-engine.ts";
import type { ConstraintSession } from "../../constraint/constraint-session.ts";
import type { Job } from "./job.ts";
import { defaultLoopOptions, type LoopOptions } from "./loop-options.ts";
import { StepLoop } from "./step-loop.ts";
import { TestEvaluator } from "./test-evaluator.ts";

export type EndEvent = Extract<EngineEvent, { type: "end" }>;

/** A job with the usual values. */
export function testJob(id: string, prompt: readonly number[], changes: Partial<Job> = {}): Job {
  return {
    id,
    root: "0".repeat(32),
    prompt: Uint32Array.from(prompt),
    decode: {
      maxTokens: 8,
      sampling: { temperature: 0, topK: 0, topP: 1, seed: 1 },
      stopTokens: [],
      stopBytes: [],
      constraints: [],
      speculate: "off",
    },
    priority: 0,
    useCache: true,
    mayFork: true,
    outliveClient: false,
    gated: false,
    retain: null,
    credit: 1_000_000,
    baseMissed: false,
    ...changes,
  };
}

/** A step loop over the test model, with its clock and all it emitted. */
export class TestLoop {
  readonly evaluator: TestEvaluator;
  readonly loop: StepLoop;
  readonly events = new Map<string, EngineEvent[]>();
  now = 0;
  /** The session given to requests with constraints. */
  session: ConstraintSession | null = null;

  constructor(changes: Partial<LoopOptions> = {}, size = 4_096, batchSize = 64, maxSequences = 16) {
    this.evaluator = new TestEvaluator(size, batchSize, maxSequences);
    const options = { ...defaultLoopOptions, contextLength: size, parkedBytes: 1_000_000, mixedChunk: 16 };
    this.loop = new StepLoop(
      this.evaluator,
      { ...options, ...changes },
      {
        now: () => this.now,
        drawSeed: () => 1,
        piece: (id) => Uint8Array.of(id),
        openConstraints: () => {
          if (this.session === null) throw new Error("no session set");
          return this.session;
        },
        watchBatch: () => {},
        emit: (id, event) => this.events.set(id, [...(this.events.get(id) ?? []), event]),
      },
    );
  }

  /** Steps until nothing is left to evaluate; `each` runs before every step. */
  run(each: () => void = () => {}): void {
    for (let step = 0; step < 20_000; step += 1) {
      each();
      if (this.loop.step() !== "evaluated") return;
    }
    throw new Error("the loop never comes to rest");
  }

  tokens(id: string): number[] {
    return (this.events.get(id) ?? []).flatMap((event) => (event.type === "tokens" ? [...event.ids] : []));
  }

  end(id: string): EndEvent | null {
    return this.events.get(id)?.find((event) => event.type === "end") ?? null;
  }

  cached(id: string): { hot: number; ram: number } | null {
    const admitted = this.events.get(id)?.find((event) => event.type === "admitted");
    return admitted === undefined ? null : { hot: admitted.cached.hot, ram: admitted.cached.ram };
  }
}
