import { randomUUID } from "node:crypto";
import koffi from "koffi";
import { InferenceError } from "../../../errors.ts";
import { encodeFrame } from "../../wire/frame.ts";
import {
  type ChildOptions,
  type ChildReport,
  type ToChild,
  type ToParent,
  wireVersion,
} from "../../wire/messages.ts";
import { packVocabulary } from "../../wire/wire-vocabulary.ts";
import { loadLibrary } from "../library/load-library.ts";
import { describeModel, readMetadata } from "../model/describe-model.ts";
import { Encoder } from "../model/encoder.ts";
import { loadModel } from "../model/load-model.ts";
import { modelFingerprint } from "../model/model-fingerprint.ts";
import { readVocabulary, vocabularyFingerprint } from "../model/vocabulary.ts";
import { AbortWatch } from "./abort-watch.ts";
import { ChildServer } from "./child-server.ts";
import { readOptions } from "./read-options.ts";
import { startWorker } from "./start-worker.ts";

/** Loads everything, then listens. The vocabulary is loaded here too: tokenizing never waits for a step. */
async function serve(options: ChildOptions): Promise<void> {
  const library = loadLibrary(process.platform, process.arch);
  const { llama } = library;
  const model = loadModel(library, options.path, true);
  const pointer = llama.getVocabulary(model);
  const vocabulary = readVocabulary(llama, model);
  const description = describeModel(llama, model, options.id, vocabulary);
  const fingerprint = modelFingerprint(options.path);
  const runningBatch = new SharedArrayBuffer(4 * (options.maxSequences + 1));
  const start = {
    options,
    vocabulary,
    trainedContext: description.trainedContextLength,
    model: fingerprint,
    runningBatch,
  };
  const { worker, ready } = await startWorker(start, (frame) => server.send(frame));
  worker.on("error", fail);
  worker.on("exit", () => process.exit(1));
  const abortFlag = new Uint8Array(koffi.view(ready.abortAddress, 1));
  const raiseAbort = (): void => {
    abortFlag[0] = 1;
  };
  const watch = new AbortWatch(runningBatch, raiseAbort);
  const encoder = new Encoder(llama, pointer, vocabulary);
  const preTokenizer = readMetadata(llama, model, "tokenizer.ggml.pre") ?? "";
  const server = new ChildServer({
    socket: options.socket,
    key: options.key,
    greeting: {
      type: "hello",
      version: wireVersion,
      vocabulary: packVocabulary(vocabulary),
      identity: {
        epoch: randomUUID(),
        description,
        model: fingerprint,
        tokenizer: vocabularyFingerprint(vocabulary, llama.vocabularyType(pointer), preTokenizer),
        kvFormat: ready.kvFormat,
        contextLength: ready.contextLength,
        hotTokens: ready.hotTokens,
        ramTokens: ready.ramTokens,
      },
    },
    onMessage: (message) => {
      if (message.type === "encode") {
        server.send(encodeFrame(encodeSegments(encoder, message)));
        return;
      }
      worker.postMessage(message);
      if (message.type === "cancel" || message.type === "release") watch.cancel(message.id);
    },
    onEnd: () => {
      // The exit waits for the worker's running evaluation.
      raiseAbort();
      process.exit(0);
    },
  });
  await server.listen();
}

function encodeSegments(
  encoder: Encoder,
  { call, segments }: Extract<ToChild, { type: "encode" }>,
): ToParent {
  try {
    return { type: "encoded", call, ids: segments.map((segment) => encoder.encode(segment)) };
  } catch (cause) {
    if (!InferenceError.isInstance(cause)) throw cause;
    return { type: "failed", call, code: cause.code, message: cause.message };
  }
}

function report(message: ChildReport): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

function fail(cause: unknown): void {
  process.stderr.write(`${cause instanceof Error ? cause.stack : cause}\n`, () => process.exit(1));
}

// Only its owner may reach the socket.
process.umask(0o177);
// Ctrl-C goes to the whole group; the owner decides when this process ends.
process.on("SIGINT", () => {});
try {
  // The pipe ends with the owner, however that dies: no orphan, even before the socket is connected.
  await serve(await readOptions(process.stdin, () => process.exit(0)));
  report({ ready: true });
} catch (cause) {
  if (!InferenceError.isInstance(cause)) throw cause;
  report({ ready: false, code: cause.code, message: cause.message });
  process.exitCode = 1;
  process.stdin.destroy();
}
