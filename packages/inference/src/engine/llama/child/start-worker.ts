import { Worker } from "node:worker_threads";
import { InferenceError } from "../../../errors.ts";
import type { FromWorker, WorkerStart } from "./worker-protocol.ts";

export type WorkerReady = Extract<FromWorker, { type: "ready" }>;

/** Starts the step worker and waits until its model is loaded. `onFrame` gets each frame for the client. */
export async function startWorker(
  start: WorkerStart,
  onFrame: (frame: Uint8Array) => void,
): Promise<{ worker: Worker; ready: WorkerReady }> {
  const worker = new Worker(new URL("./step-worker.ts", import.meta.url), { workerData: start });
  const ready = await new Promise<WorkerReady>((resolve, reject) => {
    worker.on("message", (message: FromWorker) => {
      if (message.type === "ready") resolve(message);
      else if (message.type === "frame") onFrame(message.frame);
      else reject(new InferenceError(message.code, message.message));
    });
    worker.once("error", reject);
    worker.once("exit", () => reject(new InferenceError("engine_start_failed", "The step worker ended.")));
  });
  return { worker, ready };
}
