import { createHash } from "node:crypto";
import type { Hash, Sampling } from "@slipstream-stack/inference";
import {
  canonicalJson,
  type JsonValue,
  type RequestSettings,
  type TextFormat,
  type Tool,
  type ToolChoice,
} from "@slipstream-stack/protocol";

/** A request's settings with OpenAI's defaults filled in. Made once per distinct settings and shared. */
export interface ResolvedSettings {
  /** The settings as the client gave them, for inheritance and the store. */
  readonly given: RequestSettings;
  /** Fingerprint of `given`: what a client sends back to inherit omitted settings. */
  readonly fingerprint: Hash;
  /** Bytes they take, by their canonical JSON. */
  readonly bytes: number;
  readonly model: string;
  readonly instructions: string | null;
  readonly tools: readonly Tool[];
  readonly toolChoice: ToolChoice;
  readonly parallelToolCalls: boolean;
  readonly maxToolCalls: number | null;
  readonly format: TextFormat;
  readonly verbosity: string;
  readonly effort: string | null;
  readonly maxOutputTokens: number | null;
  readonly sampling: Sampling;
  readonly logprobs: boolean;
  readonly cacheKey: string | null;
  readonly serviceTier: string;
}

/** Fills in what the client left out. `temperature` and `top_p` default to 1 as at OpenAI. */
export function resolveSettings(given: RequestSettings): ResolvedSettings {
  const text = canonicalJson(given as unknown as JsonValue);
  return {
    given,
    fingerprint: fingerprintOf(text),
    bytes: text.length * 2,
    model: given.model,
    instructions: given.instructions ?? null,
    tools: given.tools ?? [],
    toolChoice: given.tool_choice ?? "auto",
    parallelToolCalls: given.parallel_tool_calls ?? true,
    maxToolCalls: given.max_tool_calls ?? null,
    format: given.text?.format ?? { type: "text" },
    verbosity: given.text?.verbosity ?? "medium",
    effort: given.reasoning?.effort ?? null,
    maxOutputTokens: given.max_output_tokens ?? null,
    sampling: {
      temperature: given.temperature ?? 1,
      topP: given.top_p ?? 1,
      topK: given.top_k ?? 40,
      seed: given.seed ?? null,
    },
    logprobs: (given.include ?? []).includes("message.output_text.logprobs"),
    cacheKey: given.prompt_cache_key ?? null,
    serviceTier:
      given.service_tier === undefined || given.service_tier === null || given.service_tier === "auto"
        ? "default"
        : given.service_tier,
  };
}

/** A 128-bit hash of the settings by value: key order and white space do not count. */
function fingerprintOf(canonical: string): Hash {
  return createHash("sha256").update("settings\0").update(canonical).digest("hex").slice(0, 32);
}
