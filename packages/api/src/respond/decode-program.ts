import type { Constraint, DecodeProgram } from "@slipstream-stack/inference";
import { WireError } from "@slipstream-stack/protocol";
import type { ModelRuntime } from "../plan/model-runtime.ts";
import type { ResolvedSettings } from "../settings/resolved-settings.ts";

/** What bounds the output of one request. */
export interface ProgramLimits {
  /** Tokens of the prompt, generation prompt included. */
  readonly promptTokens: number;
  readonly contextLength: number;
}

/**
 * The decode program of a request.
 * @throws WireError context_length_exceeded with the counts where the prompt leaves no room to answer.
 */
export function decodeProgram(
  runtime: ModelRuntime,
  settings: ResolvedSettings,
  limits: ProgramLimits,
  constraints: readonly Constraint[],
  forced: Uint32Array | null,
): DecodeProgram {
  const room = limits.contextLength - limits.promptTokens;
  if (room < 1) throw contextExceeded(limits);
  return {
    maxTokens: Math.min(settings.maxOutputTokens ?? room, room),
    sampling: settings.sampling,
    stopTokens: runtime.stopTokens,
    stopBytes: [],
    constraints: forced === null ? constraints : [],
    ...(forced === null ? {} : { forced }),
    logprobs: settings.logprobs,
    speculate: "auto",
  };
}

/** A program that only prefills. */
export function prefillProgram(limits: ProgramLimits): DecodeProgram {
  if (limits.promptTokens > limits.contextLength) throw contextExceeded(limits);
  return {
    maxTokens: 0,
    sampling: { temperature: 0, topK: 0, topP: 1, seed: null },
    stopTokens: [],
    stopBytes: [],
    constraints: [],
    speculate: "off",
  };
}

function contextExceeded({ promptTokens, contextLength }: ProgramLimits): WireError {
  return new WireError(
    "context_length_exceeded",
    `The input has ${promptTokens} tokens; this model holds ${contextLength} for input and output together. Shorten the input or start a new conversation.`,
    { param: "input" },
  );
}
