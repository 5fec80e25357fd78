import { randomInt } from "node:crypto";
import { freemem } from "node:os";
import { performance } from "node:perf_hooks";
import { parentPort, workerData } from "node:worker_threads";
import { InferenceError } from "../../../errors.ts";
import { startConstraintHost } from "../../constraint/constraint-host.ts";
import { loadLibrary } from "../library/load-library.ts";
import { LlamaContext } from "../model/context.ts";
import { contextSize } from "../model/context-size.ts";
import { kvBytesPerToken } from "../model/kv-bytes.ts";
import { loadModel } from "../model/load-model.ts";
import { identityHash } from "../model/model-fingerprint.ts";
import { lazyConstraintHost } from "./lazy-constraint-host.ts";
import { StepService } from "./step-service.ts";
import type { FromWorker, WorkerStart } from "./worker-protocol.ts";

const port = parentPort;
if (port === null) throw new Error("step-worker.ts runs in a worker thread");
const post = (message: FromWorker): void => port.postMessage(message);

try {
  const start = workerData as WorkerStart;
  const { options } = start;
  const library = loadLibrary(process.platform, process.arch);
  const model = loadModel(library, options.path, false);
  const bytesPerToken = kvBytesPerToken(library.llama, model);
  const context = new LlamaContext(library, model, {
    contextTokens: contextSize({
      trainedContext: start.trainedContext,
      bytesPerToken,
      freeMemory: freemem(),
      requested: options.contextTokens,
    }),
    batchTokens: options.batchTokens,
    maxSequences: options.maxSequences,
    threads: options.threads,
    flashAttention: options.flashAttention,
    adaptThreads: options.adaptThreads,
  });
  const contextLength = Math.min(start.trainedContext, context.size);
  const service = new StepService(context, start, contextLength, {
    now: () => performance.now(),
    drawSeed: () => randomInt(2 ** 32),
    send: (frame) => post({ type: "frame", frame }),
    constraints: lazyConstraintHost(() =>
      startConstraintHost({ vocabulary: start.vocabulary, now: () => performance.now() }),
    ),
  });
  port.on("message", (message) => service.receive(message));
  post({
    type: "ready",
    abortAddress: context.abortAddress,
    contextLength,
    hotTokens: context.size,
    ramTokens: Math.floor(options.parkedBytes / bytesPerToken),
    kvFormat: identityHash(
      library.llama.version(),
      start.model,
      options.flashAttention ? "f16 flash" : "f16",
    ),
  });
  await service.run();
} catch (cause) {
  if (!InferenceError.isInstance(cause)) throw cause;
  post({ type: "failed", code: cause.code, message: cause.message });
}
