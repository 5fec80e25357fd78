import { Worker } from "node:worker_threads";
import type { ConstraintSource } from "../../port/decode-program.ts";
import type { ConstraintMessage, ConstraintSetup } from "./constraint-message.ts";
import { SharedHealth } from "./shared-health.ts";

/** Sources a thread keeps by number. */
const maxSources = 64;

/** One grammar thread, seen from the step loop. Nothing here waits for the event loop. */
export class ConstraintThread {
  readonly health: SharedHealth;
  readonly #worker: Worker;
  readonly #sources = new Map<ConstraintSource, number>();
  #lastSource = 0;

  constructor(setup: Omit<ConstraintSetup, "health">) {
    this.health = new SharedHealth();
    this.#worker = new Worker(new URL("./constraint-worker.ts", import.meta.url), {
      workerData: { ...setup, health: this.health.buffer } satisfies ConstraintSetup,
      name: "constraint",
    });
    this.#worker.on("error", (error) => {
      this.health.reason.set(error instanceof Error ? error.message : String(error));
      this.health.worsen("poisoned");
    });
    this.#worker.unref();
  }

  post(message: ConstraintMessage): void {
    this.#worker.postMessage(message);
  }

  /** The number of a source, which crosses to the thread the first time; the oldest is forgotten past a limit. */
  define(value: ConstraintSource): number {
    const known = this.#sources.get(value);
    if (known !== undefined) return known;
    const [oldest] = this.#sources;
    if (oldest !== undefined && this.#sources.size >= maxSources) {
      this.#sources.delete(oldest[0]);
      this.post({ kind: "forget", source: oldest[1] });
    }
    this.#lastSource += 1;
    this.#sources.set(value, this.#lastSource);
    this.post({ kind: "define", source: this.#lastSource, value });
    return this.#lastSource;
  }

  end(): void {
    void this.#worker.terminate();
  }
}
