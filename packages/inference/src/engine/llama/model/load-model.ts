import { InferenceError } from "../../../errors.ts";
import type { LlamaLibrary } from "../library/load-library.ts";
import type { ModelPointer } from "../library/pointer.ts";
import { checkModelFile } from "./check-model-file.ts";

/**
 * Loads a GGUF, or only its vocabulary. Throws `InferenceError` `model_missing`, `model_broken`, or
 * `model_unsupported` for architectures whose state cannot be forked at a token.
 */
export function loadModel(library: LlamaLibrary, path: string, vocabularyOnly: boolean): ModelPointer {
  const { llama } = library;
  checkModelFile(path);
  const model = llama.modelLoad(path, { ...llama.modelDefaultParams(), vocab_only: vocabularyOnly });
  if (model === null) {
    throw new InferenceError(
      "model_broken",
      `llama.cpp refuses ${path}: the file is damaged or of an unknown architecture. Pull it again, or try another model.`,
    );
  }
  if (!vocabularyOnly) refuseUnsupported(library, model, path);
  return model;
}

function refuseUnsupported({ llama }: LlamaLibrary, model: ModelPointer, path: string): void {
  const kind = llama.isRecurrent(model)
    ? "recurrent"
    : llama.isHybrid(model)
      ? "hybrid"
      : llama.isDiffusion(model)
        ? "diffusion"
        : llama.hasEncoder(model)
          ? "encoder-decoder"
          : null;
  if (kind === null) return;
  llama.modelFree(model);
  throw new InferenceError(
    "model_unsupported",
    `${path} is a ${kind} model; this engine serves decoder-only attention models. Choose another model.`,
  );
}
