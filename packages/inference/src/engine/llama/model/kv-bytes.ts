import type { LlamaFunctions } from "../library/functions.ts";
import type { ModelPointer } from "../library/pointer.ts";
import { readMetadata } from "./describe-model.ts";

const bytesPerElement = 2;

/** Bytes of keys and values per token, in f16 as the context keeps them. */
export function kvBytesPerToken(llama: LlamaFunctions, model: ModelPointer): number {
  const architecture = readMetadata(llama, model, "general.architecture") ?? "";
  const head = llama.embedding(model) / Math.max(1, llama.heads(model));
  const width = (name: string): number => {
    const length = Number(readMetadata(llama, model, `${architecture}.attention.${name}_length`) ?? head);
    return length > 0 ? length : head;
  };
  return llama.layers(model) * llama.kvHeads(model) * (width("key") + width("value")) * bytesPerElement;
}
