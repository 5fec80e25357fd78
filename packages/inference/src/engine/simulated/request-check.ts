import type { EngineRequest } from "../../port/token-engine.ts";
import { canWrite } from "./constraint-text.ts";

/** What makes a request impossible, as a text for its `invalid_request` event, or null. */
export function requestFault(
  request: EngineRequest,
  contextLength: number,
  vocabularySize: number,
): string | null {
  const { prompt, decode } = request;
  if (prompt.length < 1) return "The prompt is empty: give at least one token.";
  if (prompt.length > contextLength) {
    return `The prompt has ${prompt.length} tokens; this engine takes ${contextLength}.`;
  }
  if (!Number.isInteger(decode.maxTokens) || decode.maxTokens < 0)
    return "maxTokens must be a whole number >= 0.";
  const given = [...decode.stopTokens, ...(decode.forced ?? [])];
  const unknown = given.find((id) => !Number.isInteger(id) || id < 0 || id >= vocabularySize);
  if (unknown !== undefined) return `Token ${unknown} is not in the vocabulary of ${vocabularySize}.`;
  const unwritable = decode.constraints.find(({ source }) => !canWrite(source));
  return unwritable === undefined
    ? null
    : `The simulated engine cannot write ${unwritable.source.kind} constraints.`;
}
