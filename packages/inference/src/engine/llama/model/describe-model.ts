import type { ModelDescription } from "../../../port/served-model.ts";
import type { Vocabulary } from "../../../port/tokenizer.ts";
import type { LlamaFunctions } from "../library/functions.ts";
import type { ModelPointer } from "../library/pointer.ts";

/** The text of one key of the file's metadata, or null. */
export function readMetadata(llama: LlamaFunctions, model: ModelPointer, key: string): string | null {
  let buffer = Buffer.alloc(256);
  let length = llama.metaValue(model, key, buffer, buffer.length);
  if (length >= buffer.length) {
    buffer = Buffer.alloc(length + 1);
    length = llama.metaValue(model, key, buffer, buffer.length);
  }
  return length < 0 ? null : buffer.toString("utf8", 0, length);
}

/** Tokens the model was trained for: read from metadata, because a vocabulary-only load knows nothing else. */
function trainedContext(llama: LlamaFunctions, model: ModelPointer): number {
  const architecture = readMetadata(llama, model, "general.architecture") ?? "";
  const length = Number(readMetadata(llama, model, `${architecture}.context_length`));
  return Number.isInteger(length) && length > 0 ? length : llama.trainedContext(model);
}

/** What the file says of itself; a vocabulary-only load is enough. */
export function describeModel(
  llama: LlamaFunctions,
  model: ModelPointer,
  id: string,
  vocabulary: Vocabulary,
): ModelDescription {
  const text = (token: number | null): string | null => {
    const piece = token === null || token < 0 ? undefined : vocabulary.pieces[token];
    return piece === undefined ? null : Buffer.from(piece).toString("utf8");
  };
  return {
    id,
    chatTemplate: readMetadata(llama, model, "tokenizer.chat_template"),
    trainedContextLength: trainedContext(llama, model),
    vocabularySize: vocabulary.pieces.length,
    beginOfText: text(vocabulary.beginOfText),
    endOfText: text(llama.endOfText(llama.getVocabulary(model))),
  };
}
